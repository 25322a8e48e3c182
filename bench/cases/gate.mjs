import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, Mcp, median, serverFile, withRepository } from '../measure.mjs';

const config = `[project]
name = "bench"
[jobs]
lint = "sleep 1"
typecheck = "sleep 1"
test = "sleep 1"
smoke = "sleep 1"
`;

/** The whole of `done` over the one second its four parallel jobs need. */
export const gate = {
  name: 'done: four jobs of 1 s, in parallel',
  against: 'its critical path',
  target: 1.1,
  run: () =>
    withRepository({ files: 400, config }, async (root) => {
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      await mcp.call('discern_status');
      const took = [];
      for (let round = 0; round < 5; round++) {
        appendFileSync(join(root, 'src', 'dir0', 'file0.txt'), `${round}\n`);
        git(root, 'commit', '--quiet', '--all', '-m', `round ${round}`);
        const began = performance.now();
        await mcp.call('discern_done');
        took.push(performance.now() - began);
      }
      await mcp.close();
      return { ours: median(took), theirs: 1000 };
    }),
};
