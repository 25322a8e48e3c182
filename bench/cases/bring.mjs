import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, inTurn, Mcp, serverFile, timed, withRepository } from '../measure.mjs';

/** How much of `node_modules` there is: 2,000 files of some 4 KB. */
const PACKAGES = 50;
const FILES = 40;

/** `start` that brings `node_modules` along, against the bare git command and a copy as an install would write it. */
export const bring = {
  name: 'start with node_modules brought along',
  against: 'git worktree add -b, then a plain copy',
  target: 1.5,
  run: () =>
    withRepository({ files: 400 }, async (root, home) => {
      writeFileSync(join(root, '.gitignore'), 'node_modules/\n');
      writeFileSync(join(root, '.worktreeinclude'), 'node_modules/\n');
      git(root, 'add', '--all');
      git(root, 'commit', '--quiet', '-m', 'ignores');
      for (let n = 0; n < PACKAGES; n++) {
        const dir = join(root, 'node_modules', `package-${n}`, 'lib');
        mkdirSync(dir, { recursive: true });
        for (let m = 0; m < FILES; m++)
          writeFileSync(join(dir, `file-${m}.js`), `// ${n} ${m}\n`.repeat(300));
      }
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      let how;
      const { a, b } = await inTurn(
        3,
        async () => {
          const began = performance.now();
          const { data } = await mcp.call('discern_start', { name: 'bench', path: root });
          const took = performance.now() - began;
          if (data.brought?.files !== PACKAGES * FILES) throw new Error('node_modules did not come along');
          how = data.brought.how;
          rmSync(join(data.worktree, 'node_modules'), { recursive: true });
          git(root, 'worktree', 'remove', '--force', data.worktree);
          return took;
        },
        (round) => {
          const path = join(home, `plain-${round}`);
          const added = timed('git', ['worktree', 'add', '--quiet', '-b', `plain-${round}`, path, 'main'], {
            cwd: root,
          });
          const began = performance.now();
          cpSync(join(root, 'node_modules'), join(path, 'node_modules'), { recursive: true });
          const took = performance.now() - began;
          rmSync(join(path, 'node_modules'), { recursive: true });
          git(root, 'worktree', 'remove', '--force', path);
          return added + took;
        },
      );
      await mcp.close();
      return { ours: a, theirs: b, note: `${PACKAGES * FILES} files, by ${how}` };
    }),
};
