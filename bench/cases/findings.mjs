// What is found in outputs: how much of it, and how long a large one takes.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median } from '../measure.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder with the module at `entry` bundled in it, as `reader.mjs`. */
async function withModule(entry, use) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-bench-')));
  try {
    await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: join(home, 'reader.mjs'),
      logLevel: 'error',
    });
    return await use(home, pathToFileURL(join(home, 'reader.mjs')).href);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

let judged;

/** What is expected and found over the outputs of the corpus, with findings and without. */
function overCorpus() {
  judged ??= withModule('test/support/corpus.ts', async (_, module) => {
    const { corpus, quiet, judge } = await import(module);
    const sum = { expected: 0, found: 0, wrong: 0, outputs: 0 };
    for (const one of [...(await corpus()), ...(await quiet())]) {
      const outcome = await judge(one);
      sum.expected += outcome.expected;
      sum.found += outcome.found;
      sum.wrong += outcome.false.length;
      sum.outputs++;
    }
    return sum;
  });
  return judged;
}

/** Findings expected for each that is found: 1 over recall. */
export const recall = {
  name: 'findings: expected',
  against: 'those found at the right file and line',
  target: 1.02,
  unit: 'findings',
  run: async () => {
    const { expected, found, outputs } = await overCorpus();
    return {
      ours: expected,
      theirs: found,
      note: `recall ${(found / expected).toFixed(3)}, ${outputs} outputs`,
    };
  },
};

/** Findings told for each that is true: 1 over precision. */
export const precision = {
  name: 'findings: told',
  against: 'those that are true',
  target: 1,
  unit: 'findings',
  run: async () => {
    const { found, wrong } = await overCorpus();
    return {
      ours: found + wrong,
      theirs: found,
      note: `precision ${(found / (found + wrong)).toFixed(3)}`,
    };
  },
};

/** A log of `megabytes`, with a compiler's error every ten thousand lines. */
async function writeLog(file, megabytes) {
  const out = createWriteStream(file);
  let written = 0;
  for (let n = 0; written < megabytes * 1e6; ) {
    let block = '';
    for (const end = n + 10_000; n < end; n++)
      block += `2026-01-31T10:00:${10 + (n % 50)} [worker ${n % 7}] GET http://localhost:3000/items/${n} 200 in ${n % 91} ms\n`;
    block += `src/part${n % 7}.ts(${n % 900},4): error TS2322: Type 'string' is not assignable to type 'number'.\n`;
    written += block.length;
    if (!out.write(block)) await new Promise((resolve) => out.once('drain', resolve));
  }
  out.end();
  await finished(out);
}

/** Reads an output in a process of its own: seconds, and the most memory it had in MiB. */
function readIn(home, output) {
  const script = `import { readOutput } from './reader.mjs';
const began = performance.now();
const { diagnostics, more } = await readOutput({ job: 'check', command: 'check', root: ${JSON.stringify(join(home, 'app'))}, outputPath: ${JSON.stringify(output)}, failed: true });
if (diagnostics.length + more < 50) throw new Error('It found ' + diagnostics.length);
process.stdout.write(JSON.stringify({ seconds: (performance.now() - began) / 1000, peak: process.resourceUsage().maxRSS / 1024 }));`;
  writeFileSync(join(home, 'read.mjs'), script);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(home, 'read.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.once('close', (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`reading ended with ${code}`)),
    );
  });
}

let read;

function readBoth() {
  read ??= withModule('src/engine/diagnostics/index.ts', async (home) => {
    mkdirSync(join(home, 'app', 'src'), { recursive: true });
    for (let n = 0; n < 7; n++) writeFileSync(join(home, 'app', 'src', `part${n}.ts`), '');
    await writeLog(join(home, 'half.log'), 100);
    await writeLog(join(home, 'whole.log'), 200);
    const rounds = { half: [], whole: [] };
    for (let round = 0; round < 3; round++)
      for (const name of ['half', 'whole']) rounds[name].push(await readIn(home, join(home, `${name}.log`)));
    const of = (name, key) => median(rounds[name].map((one) => one[key]));
    return {
      seconds: [of('whole', 'seconds'), of('half', 'seconds')],
      peak: [of('whole', 'peak'), of('half', 'peak')],
    };
  });
  return read;
}

export const outputTime = {
  name: 'findings in 200 MB of output',
  against: 'in 100 MB',
  target: 2.2,
  unit: 's',
  run: async () => {
    const [ours, theirs] = (await readBoth()).seconds;
    return { ours, theirs };
  },
};

/** As a limit, since what a garbage collector leaves lying differs from run to run more than what is needed. */
export const outputMemory = {
  name: 'memory at most, 200 MB of output',
  against: 'the limit',
  target: 1,
  unit: 'MiB',
  run: async () => {
    const [ours, half] = (await readBoth()).peak;
    return { ours, theirs: 256, note: `${half.toFixed(0)} MiB for 100 MB` };
  },
};
