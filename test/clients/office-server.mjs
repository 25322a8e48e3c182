// An MCP server of sixty tools that have nothing to do with ours: what a client of many servers searches through.
import { createInterface } from 'node:readline';

const things = ['mail', 'calendar', 'contact', 'invoice', 'ticket', 'report'];
const acts = ['list', 'create', 'update', 'delete', 'search', 'export', 'share', 'archive', 'sync', 'print'];
const tools = things.flatMap((thing) =>
  acts.map((act) => ({
    name: `office_${thing}_${act}`,
    description: `${act} one ${thing} of the office, or several.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  })),
);

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'office', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `There is no ${method} here.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
