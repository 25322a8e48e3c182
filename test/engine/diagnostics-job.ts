import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Diagnostic } from '../../src/contract/envelope.ts';
import { type Reading, readOutput } from '../../src/engine/diagnostics/index.ts';

/** A temp folder for a test's files, its path free of links. */
export async function tempFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'discern-diagnostics-')));
}

/**
 * Reads `printed` as the whole output of the failed job `check`, kept in a file outside its root, and holds
 * what comes back against the contract. `printed` may name `{root}`.
 */
export async function readFailed(printed: string | Buffer, root?: string): Promise<Reading> {
  const folder = await tempFolder();
  try {
    const outputPath = join(folder, 'output.log');
    const home = root ?? join(folder, 'app');
    await writeFile(outputPath, typeof printed === 'string' ? printed.replaceAll('{root}', home) : printed);
    const reading = await readOutput({
      job: 'check',
      command: 'npm run check',
      root: home,
      outputPath,
      failed: true,
    });
    z.array(Diagnostic).parse(JSON.parse(JSON.stringify(reading.diagnostics)));
    return reading;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each diagnostic as `severity tool file:line:column [rule] message`, what is absent left out. */
export async function findings(printed: string, root?: string): Promise<string[]> {
  return summaries(await readFailed(printed, root));
}

export function summaries(reading: Reading): string[] {
  return reading.diagnostics.map(({ severity, tool, file, line, column, rule, message }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return [severity, tool, place, rule && `[${rule}]`, message].filter(Boolean).join(' ');
  });
}
