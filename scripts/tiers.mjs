// Which tier of the tests each file belongs to. Each file has exactly one:
//   clients  what is in test/clients: real agent clients;
//   unit     `*.unit.test.ts`: pure, in process. A guard fails whatever starts a process there;
//   fast     what is listed below: the verbs in process on real git, the server mostly through a transport in memory;
//   full     everything else.
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The files of the fast tier: with the unit tests less than a minute on two cores. */
export const fastFiles = [
  'test/cli/mcp.test.ts',
  'test/engine/accept-after.test.ts',
  'test/engine/accept-settings.test.ts',
  'test/engine/accept.test.ts',
  'test/engine/anchor.test.ts',
  'test/engine/commit.test.ts',
  'test/engine/config-load.test.ts',
  'test/engine/doctor.test.ts',
  'test/engine/drop.test.ts',
  'test/engine/env.test.ts',
  'test/engine/gate-drift.test.ts',
  'test/engine/gate-generated.test.ts',
  'test/engine/gate-needs.test.ts',
  'test/engine/gate-output.test.ts',
  'test/engine/gate-proof.test.ts',
  'test/engine/git-place.test.ts',
  'test/engine/git-quiet.test.ts',
  'test/engine/identity.test.ts',
  'test/engine/init.test.ts',
  'test/engine/left-commits.test.ts',
  'test/engine/leftovers.test.ts',
  'test/engine/names.test.ts',
  'test/engine/root.test.ts',
  'test/engine/settings.test.ts',
  'test/engine/standards-nested.test.ts',
  'test/engine/standards.test.ts',
  'test/engine/start.test.ts',
  'test/engine/state-remove.test.ts',
  'test/engine/status-trunk.test.ts',
  'test/engine/status.test.ts',
  'test/engine/told.test.ts',
  'test/engine/update.test.ts',
  'test/server/bundle.test.ts',
  'test/server/in-memory.test.ts',
  'test/server/prompts.test.ts',
  'test/server/read-only.test.ts',
  'test/server/session-root.test.ts',
  'test/server/session.test.ts',
  'test/server/spawn-root.test.ts',
];

/** The tier of a test file, named by its path from the repository's root. */
export function tierOf(file) {
  if (file.startsWith('test/clients/')) return 'clients';
  if (file.endsWith('.unit.test.ts')) return 'unit';
  return fastFiles.includes(file) ? 'fast' : 'full';
}

/** Every test file below `root`, in order. */
export function testFiles(root) {
  return readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
