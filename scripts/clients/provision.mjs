// Puts the agent clients that `npm run test:clients` drives into .clients/, from the npm registry alone, each pinned. They are
// other people's programs under their own licenses: installed for tests, never shipped. Does nothing when all are there.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installInto } from '../npm-folder.mjs';

export const versions = {
  '@anthropic-ai/claude-code': '2.1.197',
  '@github/copilot': '1.0.102',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.169.0',
  'opencode-ai': '1.18.33',
};

const folder = fileURLToPath(new URL('../../.clients/', import.meta.url));

/** Installs what is missing. Throws when a client cannot be had: a run without it would prove nothing of it. */
export function provision() {
  installInto(folder, versions, { what: 'the agent clients for the tests' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) provision();
