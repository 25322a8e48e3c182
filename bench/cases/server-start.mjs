import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inTurn, Mcp, median, serverFile, timed, withRepository } from '../measure.mjs';

const require = createRequire(import.meta.url);
const filesystem = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist',
  'index.js',
);

async function toolsListed(file, args) {
  const began = performance.now();
  const mcp = new Mcp(process.execPath, [file, ...args]);
  await mcp.open();
  const took = performance.now() - began;
  await mcp.close();
  return took;
}

/** Spawn to `tools/list` answered, less a bare node, against the reference filesystem server measured alike. */
export const serverStart = {
  name: 'server: spawn → tools/list, less bare node',
  against: 'reference filesystem MCP server, likewise',
  target: 0.4,
  run: () =>
    withRepository({ files: 20 }, async (root) => {
      const bare = [];
      const { a, b } = await inTurn(
        11,
        () => {
          bare.push(timed(process.execPath, ['-e', '0']));
          return toolsListed(serverFile, ['--root', root]);
        },
        () => toolsListed(filesystem, [root]),
      );
      const node = median(bare);
      return { ours: a - node, theirs: b - node, note: `bare node ${node.toFixed(0)} ms` };
    }),
};
