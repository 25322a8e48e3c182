import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';

/** The size of the package users download. */
export const vsix = {
  name: 'VSIX size',
  against: 'the limit',
  target: 1,
  unit: 'kB',
  run: async () => {
    const home = mkdtempSync(join(tmpdir(), 'discern-bench-'));
    try {
      return { ours: statSync(packageExtension(join(home, 'discern.vsix'))).size / 1024, theirs: 1024 };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
