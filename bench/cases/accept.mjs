import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, inTurn, Mcp, serverFile, timed, withRepository } from '../measure.mjs';

/** What landing by hand takes: look at both checkouts, fast-forward, remove the worktree, delete the branch. */
const script = `set -e
cd "$1"
test -z "$(git status --porcelain)"
git merge-base --is-ancestor main HEAD
cd "$2"
test -z "$(git status --porcelain --untracked-files=no)"
git merge --quiet --ff-only "$3"
git worktree remove "$1"
git branch --quiet -d "$3"
`;

/** `accept` with a valid proof, through the running server, against the bare git commands in a shell script. */
export const accept = {
  name: 'accept with a valid proof',
  against: 'the bare git commands, in a shell script',
  target: 2.0,
  run: () =>
    withRepository({ files: 1000 }, async (root, home) => {
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      const file = join(home, 'land.sh');
      writeFileSync(file, script);
      const edit = (checkout, text) => {
        writeFileSync(join(checkout, 'src', 'dir0', 'file0.txt'), `${text}\n`);
        git(checkout, 'commit', '--quiet', '--all', '-m', text);
      };
      const { a, b } = await inTurn(
        11,
        async (round) => {
          const { data } = await mcp.call('discern_start', { name: 'bench', path: root });
          edit(data.path, `ours ${round}`);
          await mcp.call('discern_done');
          const began = performance.now();
          await mcp.call('discern_accept');
          return performance.now() - began;
        },
        (round) => {
          const path = join(home, `plain-${round}`);
          git(root, 'worktree', 'add', '--quiet', '-b', `plain-${round}`, path, 'main');
          edit(path, `theirs ${round}`);
          return timed('sh', [file, path, root, `plain-${round}`]);
        },
      );
      await mcp.close();
      return { ours: a, theirs: b, note: '1,000 files' };
    }),
};
