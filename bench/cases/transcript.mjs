import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, Mcp, median, serverFile } from '../measure.mjs';

const MEGABYTES = 500;
const FIRST_MS = 3_000;
const SECOND_MS = 50;
const MEMORY_MIB = 256;

const session = '00000000-0000-0000-0000-000000000001';
const line = (value) =>
  `${JSON.stringify({ sessionId: session, timestamp: '2026-01-01T00:00:00.000Z', ...value })}\n`;
const asked = (n) =>
  line({ type: 'user', uuid: `u${n}`, message: { role: 'user', content: `Request ${n}.` } });
const result = line({ type: 'user', toolUseResult: {}, message: { content: 'x'.repeat(1_000_000) } });

/** Resident memory at most, in MiB (proc(5)); this figure needs Linux. */
const peak = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

let measured;

/** `recollect` of a transcript of 500 MB by servers that have not read it, then by one that has, each time after one more request. */
async function measure() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-bench-')));
  try {
    const folder = join(home, '.claude/projects/-app');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${session}.jsonl`);
    const file = openSync(path, 'w');
    let requests = 0;
    for (let n = 0; n < MEGABYTES; n++) {
      if (n % 10 === 0) writeSync(file, asked(requests++));
      writeSync(file, result);
    }
    closeSync(file);
    const [first, second, memory] = [[], [], []];
    for (let round = 0; round < 3; round++) {
      const own = { ...env, HOME: home, DISCERN_STATE_DIR: join(home, 'state') };
      const mcp = new Mcp(process.execPath, [serverFile], { env: own });
      await mcp.open();
      for (const times of [first, second, second, second]) {
        appendFileSync(path, asked(requests++));
        const began = performance.now();
        const { data } = await mcp.call('discern_recollect', { session });
        times.push(performance.now() - began);
        if (data.total !== requests) throw new Error(`${data.total} of ${requests} requests`);
      }
      memory.push(peak(mcp.pid));
      await mcp.close();
    }
    return { first: median(first), second: median(second), memory: Math.max(...memory) };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const figure = (name, of, limit, unit) => ({
  name: `transcript of ${MEGABYTES} MB, ${name}`,
  against: `a limit of ${limit} ${unit}`,
  target: 1,
  unit,
  async run() {
    measured ??= measure();
    return { ours: (await measured)[of], theirs: limit };
  },
});

export const transcript = [
  figure('first read', 'first', FIRST_MS, 'ms'),
  figure('second read', 'second', SECOND_MS, 'ms'),
  figure('memory at most', 'memory', MEMORY_MIB, 'MiB'),
];
