import type { JobStage } from '../../contract/config.ts';
import type { Offer } from './proposal.ts';

/** Scripts of one manifest by name, and how each is run. */
export interface Scripts {
  /** The manifest and where in it they stand, such as `package.json scripts`. */
  where: string;
  bodies: ReadonlyMap<string, string>;
  /** The command that runs one; `extra` are arguments for it. */
  command(name: string, extra?: string): string;
}

/** The names scripts of a kind go by, most wanted first. */
const wanted: { job: string; stage: JobStage; names: string[] }[] = [
  { job: 'format', stage: 'fix', names: ['format', 'fmt', 'format:write', 'format:fix', 'cs:fix', 'cs-fix'] },
  { job: 'build', stage: 'build', names: ['build'] },
  { job: 'lint', stage: 'check', names: ['lint', 'lint:check', 'eslint', 'cs:check', 'cs'] },
  {
    job: 'typecheck',
    stage: 'check',
    names: [
      ...[
        'typecheck',
        'type-check',
        'type:check',
        'check-types',
        'check:types',
        'types:check',
        'types',
        'tsc',
      ],
      ...['phpstan', 'stan', 'analyse', 'analyze'],
    ],
  },
  { job: 'test', stage: 'test', names: ['test', 'test:ci', 'test:run', 'test:once', 'test:unit', 'tests'] },
  { job: 'smoke', stage: 'test', names: ['smoke', 'test:smoke', 'smoke:test', 'smoke-test'] },
];

/** A formatter that only looks; taken as a check where there is none that writes. */
const formatChecks = ['format:check', 'check:format', 'format-check', 'fmt:check', 'prettier:check'];

const onlyLooks = /(?:^|\s)(?:--check|--list-different|--dry-run|--test|-l)(?=\s|$)/;
const fixes = /(?:^|\s)--(?:fix|write|apply)(?=\s|=|$)/;

/** What a script's text says against making a job of it, in words that follow its name; nothing when it may be one. */
export function unsuitable(body: string): string | undefined {
  const text = body.trim();
  if (/no test specified/i.test(text)) return 'is the placeholder npm puts there';
  if (/^(?:true|:|exit\s+\d+|)$/.test(text) || /^echo\b[^;&|]*(?:&&\s*exit\s+\d+\s*)?$/.test(text)) {
    return 'only prints something';
  }
  const commands = text.split(/&&|\|\||[;|&\n]/).map((one) => one.trim());
  if (commands.some((one) => /^(?:npx\s+|\S*\/)?discern(?:\s|$)/.test(one))) return 'runs discern itself';
  if (commands.some(watches)) return 'watches files and never ends';
  return undefined;
}

/** Programs whose whole purpose is to wait for changes. */
const watchers =
  /(?:^|[\s/])(?:nodemon|chokidar|onchange|watchexec|entr|tsc-watch|ts-node-dev|tsx watch)(?=\s|$)/;
/** Programs to which `-w` means watching; to npm and pnpm it names a workspace. */
const shortFlag =
  /(?:^|[\s/])(?:tsc|webpack|rollup|mocha|ava|babel|sass|jest|vitest|tsup|swc)\s(?:.*\s)?-w(?=\s|$)/;

function watches(command: string): boolean {
  const flag = /(?:^|\s)--watch(?:All|-all|Files)?(?:[=\s]+(\S+))?(?=\s|$)/.exec(command);
  if (flag && flag[1] !== 'false') return true;
  if (/(?:^|[\s/])(?:react-scripts|react-app-rewired|craco) test\b/.test(command)) {
    return !/--watchAll=false|(?:^|\s)CI=\S/.test(command);
  }
  if (/(?:^|[\s/])ng test\b/.test(command)) return !/--(?:watch=false|no-watch)/.test(command);
  return watchers.test(command) || shortFlag.test(command);
}

/** Test runners that watch unless told otherwise, and how they are told. */
function runOnce(body: string): string | undefined {
  if (/[;&|\n]/.test(body)) return undefined;
  if (/(?:^|[\s/])vitest(?=\s|$)/.test(body)) {
    const told =
      /\b(?:run|bench|related|list|typecheck)\b|--run|--watch\b|--no-watch|(?:^|\s)-w(?=\s|$)/.test(body);
    return told ? undefined : '--run';
  }
  if (/(?:^|[\s/])(?:react-scripts|react-app-rewired|craco) test\s*$/.test(body)) return '--watchAll=false';
  return /(?:^|[\s/])ng test\s*$/.test(body) ? '--watch=false' : undefined;
}

/** A script's text with the scripts it calls put in, so that one that only calls a watching one is known for it. */
function expanded(bodies: ReadonlyMap<string, string>, name: string, seen: ReadonlySet<string>): string {
  const body = (bodies.get(name) ?? '').slice(0, 10_000);
  const calls = [
    ...body.matchAll(/\b(?:npm|pnpm|yarn|bun|composer|deno)\s+(?:(?:run|run-script|task)\s+)?([\w:.-]+)/g),
  ];
  const inner = calls.flatMap(([, called = '']) => {
    if (seen.size > 4 || seen.has(called) || !bodies.has(called)) return [];
    return [expanded(bodies, called, new Set([...seen, called]))];
  });
  return [body, ...inner].join('\n');
}

/** The jobs a manifest's scripts make, and what was found but is none. */
export function offersOf(scripts: Scripts): { offers: Offer[]; notes: string[] } {
  const { bodies, where } = scripts;
  const offers: Offer[] = [];
  const notes: string[] = [];
  const offer = (job: string, stage: JobStage, name: string, extra?: string) =>
    offers.push({ job, stage, command: scripts.command(name, extra), from: `${where}.${name}` });
  for (const { job, stage, names } of wanted) {
    const usable: string[] = [];
    const against: string[] = [];
    for (const name of names.filter((one) => bodies.has(one))) {
      const body = bodies.get(name) ?? '';
      const once = job === 'test' ? runOnce(body) : undefined;
      const why = once === undefined ? unsuitable(expanded(bodies, name, new Set([name]))) : undefined;
      if (why === undefined) usable.push(name);
      else against.push(`${where}.${name} ${why}, so it is no job.`);
    }
    const best = usable.find((name) => matchesStage(stage, bodies.get(name) ?? '')) ?? usable[0];
    if (best === undefined) {
      notes.push(...against);
      continue;
    }
    const body = bodies.get(best) ?? '';
    if (matchesStage(stage, body)) offer(job, stage, best, job === 'test' ? runOnce(body) : undefined);
    else if (stage === 'fix') offer('format-check', 'check', best);
    else offer(`${job}-fix`, 'fix', best);
  }
  if (!offers.some(({ job }) => job.startsWith('format'))) {
    const check = formatChecks.find((name) => bodies.has(name) && suits(bodies, name));
    if (check !== undefined) offer('format-check', 'check', check);
  }
  const checked = offers.some(({ stage, job }) => stage === 'check' && job !== 'format-check');
  if (!checked && bodies.has('check') && suits(bodies, 'check')) offer('check', 'check', 'check');
  return { offers, notes };
}

const suits = (bodies: ReadonlyMap<string, string>, name: string) =>
  unsuitable(expanded(bodies, name, new Set([name]))) === undefined;

/** A fix job must write, and a check job must not. */
function matchesStage(stage: JobStage, body: string): boolean {
  if (stage === 'fix') return !onlyLooks.test(body) || fixes.test(body);
  return stage !== 'check' || !fixes.test(body);
}
