import { type SetupClient, setupClients } from '../contract/setup-clients.ts';
import { Misuse, type Parsed, text } from './options.ts';

export const setupUsage = 'setup <client>';

export const setupOptions = {
  'print-config': { type: 'boolean', describe: 'Print what would be written, and write nothing' },
  remove: { type: 'boolean', describe: 'Take out what setup wrote' },
} as const;

/** The setup of one client. */
export interface SetupRequest {
  client: SetupClient;
  action: 'write' | 'remove' | 'print';
  path: string | undefined;
}

/** Reads `discern setup`'s arguments. Throws {@link Misuse} for a client nobody knows and for what contradicts itself. */
export function setupOf(parsed: Parsed): SetupRequest {
  const client = setupClients.find((one) => one === parsed.client);
  if (!client) {
    throw new Misuse(
      `There is no client ${JSON.stringify(parsed.client)}: one of ${setupClients.join(', ')}.`,
    );
  }
  const [print, remove] = [parsed['print-config'] === true, parsed.remove === true];
  if (print && remove) throw new Misuse('--print-config and --remove exclude each other.');
  if (parsed.json === true) throw new Misuse('setup has no --json.');
  return { client, action: print ? 'print' : remove ? 'remove' : 'write', path: text(parsed.path) };
}
