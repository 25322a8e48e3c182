import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnIn, observe, observed } from './launch-model.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

describe('The table of docs/clients.md', () => {
  const page = readFileSync(join(DISCERN_HOME, 'docs/clients.md'), 'utf8');
  // The page has tables of other things too.
  const seen = page
    .split('<!-- seen by npm run clients:table -->')[1]
    ?.split('<!-- end of what was seen -->')[0];
  for (const driver of observed) {
    it(`says of ${driver.name} what this run sees; else: npm run clients:table`, async () => {
      assert.deepEqual(
        Object.fromEntries(columnIn(seen ?? '', driver)),
        Object.fromEntries(await observe(driver)),
      );
    });
  }
});
