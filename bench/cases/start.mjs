import { join } from 'node:path';
import { git, inTurn, Mcp, serverFile, timed, withRepository } from '../measure.mjs';

/** `start` without setup steps, through the running server, against the bare git command. */
export const start = {
  name: 'start without setup steps',
  against: 'git worktree add -b',
  target: 1.5,
  run: () =>
    withRepository({ files: 1000 }, async (root, home) => {
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      const { a, b } = await inTurn(
        11,
        async () => {
          const began = performance.now();
          const { data } = await mcp.call('discern_start', { name: 'bench', path: root });
          const took = performance.now() - began;
          git(root, 'worktree', 'remove', '--force', data.worktree);
          return took;
        },
        (round) => {
          const path = join(home, `plain-${round}`);
          const took = timed('git', ['worktree', 'add', '--quiet', '-b', `plain-${round}`, path, 'main'], {
            cwd: root,
          });
          git(root, 'worktree', 'remove', '--force', path);
          return took;
        },
      );
      await mcp.close();
      return { ours: a, theirs: b, note: '1,000 files' };
    }),
};
