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
/** What in a script writes into the files it looks at. */
const fixing: readonly RegExp[] = [
  /(?:^|\s)--(?:fix(?!-dry-run)|write|apply|apply-unsafe|autocorrect|auto-correct|autofix|in-place)(?=[\s=]|$)/,
  /(?:^|[\s/])prettier\s(?:.*\s)?-w(?=\s|$)/,
  /(?:^|[\s/])(?:gofmt|goimports)\s(?:.*\s)?-w(?=\s|$)/,
  /(?:^|[\s/])rubocop\s(?:.*\s)?-[aA](?=\s|$)/,
  /(?:^|[\s/])ktlint\s(?:.*\s)?-F(?=\s|$)/,
  /(?:^|[\s/])phpcbf(?=\s|$)/,
  /(?:^|[\s/])nx\s+format:write(?=\s|$)/,
];
const fixes = (body: string) =>
  body
    .split(/&&|\|\||[;|&\n]/)
    .some(
      (command) =>
        fixing.some((one) => one.test(command)) ||
        (/(?:^|[\s/])(?:php-cs-fixer\s+fix|pint)(?=\s|$)/.test(command) &&
          !/--(?:dry-run|test)\b/.test(command)),
    );

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

/** Programs and sub-commands that wait for changes, or serve until they are stopped. */
const watchers: readonly RegExp[] = [
  /(?:^|[\s/])(?:nodemon|chokidar|onchange|watchexec|entr|tsc-watch|ts-node-dev|ptw|pytest-watch|bacon|air|guard)(?=\s|$)/,
  /(?:^|[\s/])(?:tsx|turbo|nx|cargo|dotnet|vitest|ibazel|deno run --watch)\s+watch(?=\s|$)/,
  /(?:^|[\s/])(?:cypress|playwright)\s+open(?=\s|$)/,
  /(?:^|[\s/])(?:vite|next|nuxt|astro|remix|storybook|expo|gatsby|vitest|wrangler)\s+(?:dev|preview|serve|start|develop)(?=\s|$)/,
  /(?:^|[\s/])(?:webpack|ng|vue-cli-service|parcel)\s+serve(?=\s|$)/,
  /(?:^|[\s/])(?:webpack-dev-server|start-storybook|http-server|live-server|browser-sync|cargo-watch)(?=\s|$)/,
  /^(?:\S*=\S*\s+)*(?:npx\s+|\S*\/)?vite\s*$/,
  /(?:^|[\s/])gradlew?\s(?:.*\s)?(?:-t|--continuous)(?=\s|$)/,
  /(?:^|[\s/])bun\s+--hot(?=\s|$)/,
];
/** Opens a window to a person, and stays. */
const opensUi = /(?:^|[\s/])(?:vitest|playwright test|mocha|jest)\s(?:.*\s)?--ui(?=[\s=]|$)/;
/** Programs to which `-w` means watching; to npm and pnpm it names a workspace, to jest it counts workers. */
const shortFlag =
  /(?:^|[\s/])(?:tsc|webpack|rollup|mocha|ava|babel|sass|vitest|tsup|swc)\s(?:.*\s)?-w(?=\s|$)/;

function watches(command: string): boolean {
  const flag = /(?:^|\s)--watch(?:All|-all|Files)?(?:[=\s]+(\S+))?(?=\s|$)/.exec(command);
  if (flag && flag[1] !== 'false') return true;
  if (/(?:^|[\s/])(?:react-scripts|react-app-rewired|craco) test\b/.test(command)) {
    return !/--watchAll=false|(?:^|\s)CI=\S/.test(command);
  }
  if (/(?:^|[\s/])ng test\b/.test(command)) return !/--(?:watch=false|no-watch)/.test(command);
  if (/(?:^|[\s/])karma start\b/.test(command))
    return !/--single-run(?!=false)|--no-auto-watch/.test(command);
  return watchers.some((one) => one.test(command)) || opensUi.test(command) || shortFlag.test(command);
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
  if (/(?:^|[\s/])karma start\b/.test(body) && !/--(?:no-)?single-run/.test(body)) return '--single-run';
  return /(?:^|[\s/])ng test\s*$/.test(body) ? '--watch=false' : undefined;
}

/** A script's text with the scripts it calls put in, so that one that only calls a watching one is known for it. */
function expanded(bodies: ReadonlyMap<string, string>, name: string, seen: ReadonlySet<string>): string {
  const body = (bodies.get(name) ?? '').slice(0, 10_000);
  const calls = [
    ...body.matchAll(
      /\b(?:npm|pnpm|yarn|bun|composer|deno|run-s|run-p|npm-run-all)\s+(?:(?:run|run-script|task)\s+)?(?:-s\s+)?([\w:.-]+)/g,
    ),
  ];
  const inner = calls.flatMap(([, called = '']) => {
    if (seen.size > 4 || seen.has(called) || !bodies.has(called)) return [];
    return [expanded(bodies, called, new Set([...seen, called]))];
  });
  return [body, ...inner].join('\n');
}

/** The names of scripts a job is made of, the most wanted first. */
export const scriptNames = (job: string): readonly string[] =>
  wanted.find((one) => one.job === job)?.names ?? [];

/** What a script does against being a job, with what it calls; and how it is told to run once, where it has to be. */
export function judged(
  bodies: ReadonlyMap<string, string>,
  name: string,
): { against: string | undefined; once: string | undefined; fixes: boolean } {
  const once = runOnce(bodies.get(name) ?? '');
  const whole = expanded(bodies, name, new Set([name]));
  return { against: once === undefined ? unsuitable(whole) : undefined, once, fixes: fixes(whole) };
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
      else against.push(`${where}.${name} ${why}, so it is not taken as a job.`);
    }
    const whole = (name: string) => expanded(bodies, name, new Set([name]));
    const best = usable.find((name) => matchesStage(stage, whole(name))) ?? usable[0];
    if (best === undefined) {
      notes.push(...against);
      continue;
    }
    const body = bodies.get(best) ?? '';
    if (matchesStage(stage, whole(best))) offer(job, stage, best, job === 'test' ? runOnce(body) : undefined);
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
  if (stage === 'fix') return !onlyLooks.test(body) || fixes(body);
  return stage !== 'check' || !fixes(body);
}
