import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

interface Building {
  buildProduct(outdir: string, options?: { faults?: boolean }): Promise<void>;
}

describe('What is shipped', () => {
  let dir: string;
  let building: Building;
  let names: Set<string>;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'discern-faults-'));
    building = await import(pathToFileURL(join(DISCERN_HOME, 'esbuild.mjs')).href);
    names = new Set();
    const sources = await readdir(join(DISCERN_HOME, 'src'), { recursive: true });
    for (const file of sources.filter((name) => name.endsWith('.ts'))) {
      const text = await readFile(join(DISCERN_HOME, 'src', file), 'utf8');
      for (const [, name] of text.matchAll(/\bpoint\('([^']+)'\)/g)) if (name) names.add(name);
    }
  });

  after(() => rm(dir, { recursive: true, force: true }));

  /** The names of fault points that the programs in a folder have, and whether they read the variable. */
  async function inBuild(name: string, options?: { faults: boolean }) {
    const out = join(dir, name);
    await building.buildProduct(out, options);
    const files = (await readdir(out)).filter((file) => file.endsWith('.js'));
    const text = (await Promise.all(files.map((file) => readFile(join(out, file), 'utf8')))).join('\n');
    const quoted = (point: string) => ['"', "'", '`'].some((mark) => text.includes(mark + point + mark));
    return { found: [...names].filter(quoted).sort(), reads: text.includes('DISCERN_FAULT_POINT') };
  }

  it('has no point at which a test could kill it; what the tests run has every one', async () => {
    assert.ok(names.size > 30, `${names.size}`);
    assert.deepEqual(await inBuild('shipped'), { found: [], reads: false });
    assert.deepEqual(await inBuild('tested', { faults: true }), { found: [...names].sort(), reads: true });
  });
});
