import { randomBytes } from 'node:crypto';
import { InMemoryTransport as ClientSide } from '@modelcontextprotocol/sdk/inMemory.js';
import tools from '../../generated/manifest.json';
import { instructions } from '../../src/server/instructions.ts';
import { Life } from '../../src/server/life.ts';
import { serverFactory } from '../../src/server/mcp.ts';
import { heldPrompts } from '../../src/server/prompts.ts';
import { sessionResources } from '../../src/server/resources.ts';
import { Session } from '../../src/server/session.ts';
import { type Connection, overOld } from './server.ts';

/** Connections to servers in this process: all of the server but its streams, without the half second that a process takes. */
export function inMemory() {
  const ends: (() => Promise<void>)[] = [];
  return {
    /** A server that holds `root`, and SDK 1.x connected to it. */
    async open(root: string): Promise<Omit<Connection, 'pid'>> {
      const session = new Session({ root, env: process.env, cwd: '/' });
      await session.begin();
      const life = new Life();
      const server = await serverFactory({
        tools,
        withheld: [],
        resources: sessionResources(session),
        instructions: instructions.holding.all,
        prompts: heldPrompts,
        sealKey: randomBytes(32),
        call: (request) => session.call(request),
        caller: 'agent',
        life,
        connected: false,
      })({ era: 'legacy' });
      const [here, there] = ClientSide.createLinkedPair();
      await server.connect(there as never);
      const connection = await overOld(here, { name: 'test', version: '1.0.0' });
      ends.push(async () => {
        await connection.close();
        await life.end();
        await server.close();
      });
      return connection;
    },
    async closeAll(): Promise<void> {
      await Promise.all(ends.splice(0).map((end) => end()));
    },
  };
}
