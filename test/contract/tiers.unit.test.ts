import assert from 'node:assert/strict';
import { execFile, execFileSync, fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { git } from '../../src/engine/git/core.ts';

declare const DISCERN_HOME: string;

interface Tiers {
  fastFiles: string[];
  testFiles(root: string): string[];
  tierOf(file: string): string;
}

describe('The tiers of the tests', () => {
  let tiers: Tiers;

  before(async () => {
    tiers = await import(pathToFileURL(join(DISCERN_HOME, 'scripts', 'tiers.mjs')).href);
  });

  it('list only files that exist, each once, and none that its name or folder puts elsewhere', () => {
    const { fastFiles, tierOf } = tiers;
    assert.equal(new Set(fastFiles).size, fastFiles.length);
    for (const file of fastFiles) {
      assert.ok(existsSync(join(DISCERN_HOME, file)), `${file} does not exist`);
      assert.equal(tierOf(file), 'fast', file);
    }
  });

  it('have every test file, each in one of four', () => {
    const counts: Record<string, number> = {};
    for (const file of tiers.testFiles(DISCERN_HOME)) {
      const tier = tiers.tierOf(file);
      counts[tier] = (counts[tier] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(counts).sort(), ['clients', 'fast', 'full', 'unit']);
    assert.equal(counts.fast, tiers.fastFiles.length);
  });

  it('let no unit test start a process, neither by itself nor through the engine', async () => {
    const refusal = /A unit test starts no process/;
    assert.throws(() => spawn('git'), refusal);
    assert.throws(() => execFile('git'), refusal);
    assert.throws(() => execFileSync('git'), refusal);
    assert.throws(() => fork('x.js'), refusal);
    await assert.rejects(async () => git(DISCERN_HOME, ['rev-parse', 'HEAD']), refusal);
  });
});
