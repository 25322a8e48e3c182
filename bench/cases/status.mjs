import { join } from 'node:path';
import { git, inTurn, Mcp, serverFile, timed, withRepository } from '../measure.mjs';

const WORKTREES = 100;

/** `status` over a hundred worktrees, through the running server, against one `git status` in each, one by one. */
export const status = {
  name: 'status with 100 worktrees',
  against: 'one sequential git status in each',
  target: 0.5,
  run: () =>
    withRepository({ files: 100 }, async (root, home) => {
      const paths = [root];
      for (let n = 0; n < WORKTREES; n++) {
        const path = join(home, `tree-${n}`);
        git(root, 'worktree', 'add', '--quiet', '-b', `tree-${n}`, path, 'main');
        paths.push(path);
      }
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      const { a, b } = await inTurn(
        5,
        async () => {
          const began = performance.now();
          await mcp.call('discern_status');
          return performance.now() - began;
        },
        () => paths.reduce((sum, cwd) => sum + timed('git', ['status', '--porcelain'], { cwd }), 0),
      );
      await mcp.close();
      return { ours: a, theirs: b };
    }),
};
