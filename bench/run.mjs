// `npm run bench [part of a name, or a unit …]`: the speed table, as text and, with --json, as JSON. Every figure is a ratio taken in
// one run, each side in turn, against what a user would pick instead; or against a limit, where there is nothing to pick.
import { accept } from './cases/accept.mjs';
import {
  findingsCharacters,
  headlineCharacters,
  toolsCharacters,
  worktreesCharacters,
} from './cases/answers.mjs';
import { bring } from './cases/bring.mjs';
import { outputMemory, outputTime, precision, recall } from './cases/findings.mjs';
import { fleet } from './cases/fleet.mjs';
import { gate } from './cases/gate.mjs';
import { hook, hookOnCommand, hookWithSettings } from './cases/hook.mjs';
import { load } from './cases/load.mjs';
import { lookUp } from './cases/look-up.mjs';
import { memory } from './cases/memory.mjs';
import { projects } from './cases/projects.mjs';
import { queue } from './cases/queue.mjs';
import { reused } from './cases/reused.mjs';
import { serverStart } from './cases/server-start.mjs';
import { slots } from './cases/slots.mjs';
import { start } from './cases/start.mjs';
import { status } from './cases/status.mjs';
import { transcript } from './cases/transcript.mjs';
import { vsix } from './cases/vsix.mjs';

const wanted = process.argv.slice(2).filter((word) => word !== '--json');
const always = [
  serverStart,
  start,
  bring,
  gate,
  reused,
  status,
  fleet,
  accept,
  hook,
  hookWithSettings,
  hookOnCommand,
  lookUp,
  memory,
  vsix,
  headlineCharacters,
  toolsCharacters,
  worktreesCharacters,
  findingsCharacters,
  recall,
  precision,
  outputTime,
  outputMemory,
];
// These need a real VS Code, which takes minutes to fetch the first time: `npm run bench window`.
const inWindow = wanted.includes('window') ? await import('./cases/window.mjs') : undefined;
const cases = [
  // These take about a minute, and all cores: by their names only.
  ...(wanted.includes('load') ? [load] : []),
  ...(wanted.includes('slots') ? [slots] : []),
  ...(wanted.includes('queue') ? [queue] : []),
  ...(wanted.includes('projects') ? projects : []),
  // It writes 500 MB.
  ...(wanted.includes('transcript') ? transcript : []),
  ...always.filter(
    ({ name, unit }) => wanted.length === 0 || wanted.some((word) => name.includes(word) || unit === word),
  ),
  ...(inWindow ? [inWindow.repaint, inWindow.activationTime] : []),
];

const rows = [];
for (const { name, against, target, unit = 'ms', run } of cases) {
  process.stderr.write(`${name}…\n`);
  const { ours, theirs, note } = await run();
  const ratio = ours / theirs;
  rows.push({
    what: name,
    against,
    ours,
    theirs,
    unit,
    ratio,
    target,
    ...(target !== undefined && { met: ratio <= target }),
    ...(note && { note }),
  });
}

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else {
  const cells = rows.map((row) => [
    row.what,
    `${row.ours.toFixed(0)} ${row.unit}`,
    `${row.theirs.toFixed(0)} ${row.unit}`,
    `${row.ratio.toFixed(2)}×`,
    row.target === undefined ? '' : `≤ ${row.target}×`,
    row.target === undefined ? '' : row.met ? 'met' : 'missed',
    `${row.against}${row.note ? ` (${row.note})` : ''}`,
  ]);
  const header = ['what', 'ours', 'theirs', 'ratio', 'target', '', 'against'];
  const widths = header.map((_, i) => Math.max(...[header, ...cells].map((row) => row[i].length)));
  for (const row of [header, ...cells]) {
    process.stdout.write(
      `${row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
