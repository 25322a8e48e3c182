import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { count } from '../../contract/count.ts';
import type { Finding } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { namesIn } from '../files/files.ts';
import { declaredJobs } from '../gate/plan.ts';
import { readStatus } from '../git/status.ts';
import type { PlannedJob } from '../jobs/planned-job.ts';
import { newRunDir, outputFile } from '../jobs/run-dir.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import { classify } from '../jobs/scopes.ts';
import { jobNamed } from '../jobs/selectors.ts';
import { runCommand } from '../process/shell.ts';
import { ignoredIn } from '../receipts/ignored-inputs.ts';
import { projectTree } from '../receipts/tree.ts';
import { lockCheckout } from '../repository/checkout.ts';
import type { Repository } from '../repository/repository.ts';
import { Measuring } from '../standards/measure.ts';
import { nearest } from '../words/nearest.ts';
import { shellQuoted } from '../words/shell-word.ts';
import { jobEnv } from '../worktree/job-env.ts';
import { fine, warn } from './finding.ts';
import { type Did, moveIn, type Opened, openedIn, startedIn } from './traced.ts';

/** How many files a finding names. */
const MOST_NAMED = 20;
/** A traced job takes longer: so many times its own limit. */
const SLOWER = 3;

/** Which jobs are run under a tracer: the named one, else all that declare inputs. */
export interface TraceOrder {
  job?: string | undefined;
}

/**
 * Runs jobs that declare inputs under strace(1), and finds the files of the repository they read that their inputs leave out: an
 * edit of one would not make the job run again. Refuses `unavailable` where nothing can be traced, and `invalid_argument`
 * for a job that declares no inputs.
 */
export async function traceInputs(repo: Repository, order: TraceOrder, ctx: Context): Promise<Finding[]> {
  const { standards } = repo.config.config;
  const all = [
    ...declaredJobs(repo.config, classify(repo.config.config.scopes, []).scopes),
    ...new Measuring(repo, { standards }).jobs,
  ];
  const jobs = chosen(all, order);
  if (jobs.length === 0)
    return [fine('inputs', 'No job declares inputs, so no result of one is ever reused.')];
  const lock = await lockCheckout(repo, repo, 'tracing of jobs', ctx);
  try {
    const runDir = await newRunDir(repo.commonDir, 'trace');
    const env = await jobEnv(repo);
    await requireTracer(repo.root, env, runDir, ctx.signal);
    const known = await knownFiles(repo, ctx.signal);
    const findings: Finding[] = [];
    for (const [index, job] of jobs.entries()) {
      ctx.emit({ type: 'progress', message: `Tracing what ${job.name} reads.` });
      findings.push(...(await traceJob(job, { repo, env, runDir, index, known }, ctx.signal)));
    }
    return findings;
  } finally {
    await lock.release();
  }
}

function chosen(all: readonly PlannedJob[], { job: asked }: TraceOrder): PlannedJob[] {
  const declaring = all.filter(({ evidence, commands }) => evidence?.inputs && commands.length > 0);
  if (asked === undefined) return declaring;
  const job = declaring.find(({ name }) => name === asked || name === jobNamed(asked));
  if (job) return [job];
  const names = declaring.map(({ name }) => name);
  const close = nearest(asked, names);
  const meant = close === undefined ? '' : ` Did you mean ${close}?`;
  throw new Refusal(
    'invalid_argument',
    `No job ${JSON.stringify(asked.slice(0, 80))} declares inputs.${meant} These do: ${names.join(', ') || 'none'}.`,
  );
}

const tracer = 'strace -qq';

/** The calls that are traced; behind a question mark those that only some architectures have (strace(1), "-e trace"). */
const CALLS = '?open,openat,?openat2,execve,chdir,fchdir,clone,?clone3,?fork,?vfork';

async function requireTracer(
  cwd: string,
  env: NodeJS.ProcessEnv,
  runDir: string,
  signal: AbortSignal,
): Promise<void> {
  const outputPath = join(runDir, 'tracer.log');
  const { exitCode } =
    process.platform === 'linux'
      ? await runCommand(`${tracer} -f -y -o /dev/null true`, { cwd, env, outputPath, signal })
      : {};
  if (signal.aborted) throw new Refusal('cancelled', 'doctor was cancelled.');
  if (exitCode === 0) return;
  const said = await readFile(outputPath, 'utf8').catch(() => '');
  const why =
    process.platform !== 'linux'
      ? 'there is none on this system'
      : exitCode === 127
        ? 'it is not on PATH: install it'
        : `it cannot trace here (${said.trim().split('\n')[0]}): allow ptrace(2) in this container`;
  throw new Refusal(
    'unavailable',
    `What jobs read is traced with strace, and ${why}. Nothing was run. Meanwhile [receipts] check_every finds input lists that leave something out.`,
  );
}

interface Known {
  tracked: ReadonlySet<string>;
  untracked: ReadonlySet<string>;
  /** What git ignores, a directory with a slash at its end. */
  ignored: readonly string[];
}

async function knownFiles(repo: Repository, signal: AbortSignal): Promise<Known> {
  const [tree, status, ignored] = await Promise.all([
    projectTree(repo, signal),
    readStatus(repo.top, { untracked: 'all', signal }),
    ignoredIn(repo, signal),
  ]);
  const below = repo.prefix ? `${repo.prefix}/` : '';
  const added = [...status.untracked, ...status.staged].filter((path) => path.startsWith(below));
  return {
    tracked: new Set(tree.map(({ path }) => path)),
    untracked: new Set(added.map((path) => path.slice(below.length))),
    ignored,
  };
}

interface Tracing {
  repo: Repository;
  env: NodeJS.ProcessEnv;
  runDir: string;
  index: number;
  known: Known;
}

async function traceJob(
  job: PlannedJob,
  { repo, env, runDir, index, known }: Tracing,
  signal: AbortSignal,
): Promise<Finding[]> {
  const outputPath = outputFile(runDir, job.name, index);
  const files: Files = { read: new Set(), written: new Set() };
  let failure: string | undefined;
  for (const command of job.commands) {
    const prefix = join(runDir, `traced-${index}`);
    const traced = `${tracer} -ff -y -s 4096 -e trace=${CALLS} -o ${shellQuoted(prefix)} /bin/sh -c ${shellQuoted(command)}`;
    const timeoutMs = job.timeoutMs === undefined ? undefined : job.timeoutMs * SLOWER;
    const result = await runCommand(traced, { cwd: repo.root, env, outputPath, timeoutMs, signal });
    // One file a process, so that no line is cut in two by another.
    const processes = new Map<string, Did[]>();
    for (const name of (await namesIn(runDir)).filter((one) => one.startsWith(`traced-${index}.`))) {
      processes.set(extname(name).slice(1), await readTrace(join(runDir, name), files));
      await rm(join(runDir, name));
    }
    for (const path of startedIn(processes, repo.root)) files.read.add(path);
    if (signal.aborted) throw new Refusal('cancelled', 'doctor was cancelled.');
    if (result.ended || result.exitCode !== 0) {
      failure = result.ended ? 'ran out of time' : `failed (exit ${result.exitCode ?? 'by a signal'})`;
      break;
    }
  }
  const found = findingsOf(job, leftOut(job, repo, files, known), files.read, repo);
  if (failure === undefined) return found;
  const what = `${job.name} ${failure} while it was traced, so it may read more than is told here. Its output: ${outputPath}`;
  return [
    warn('inputs', what, 'Make it pass (discern done runs what it needs), then trace it again.'),
    ...found,
  ];
}

/** What a job opened, absolute. */
type Files = Record<Opened['how'], Set<string>>;

/** Reads the trace of one process; answers what the names of others depend on. */
async function readTrace(file: string, into: Files): Promise<Did[]> {
  const did: Did[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const opened = openedIn(line);
    const move = moveIn(line);
    if (move) did.push(move);
    else if (opened && isAbsolute(opened.path)) into[opened.how].add(opened.path);
    else if (opened) did.push({ started: opened.path });
  }
  return did;
}

interface LeftOut {
  files: string[];
  /** Of what git ignores, how many files were read of each entry. */
  ignored: Map<string, number>;
}

/** What was read and is not declared, as far as it was there before: what the job makes itself is its own. */
function leftOut(
  { evidence }: PlannedJob,
  repo: Repository,
  { read, written }: Files,
  known: Known,
): LeftOut {
  const isInput = scopeMatchers(evidence?.inputs ?? []);
  const own = new Set([...(evidence?.toolchain ?? []), ...(evidence?.artifacts ?? [])]);
  const files: string[] = [];
  const ignored = new Map<string, number>();
  for (const path of read) {
    if (!path.startsWith(`${repo.root}/`)) continue;
    const file = path.slice(repo.root.length + 1);
    if (isInput(file) || own.has(file)) continue;
    if (known.tracked.has(file) || known.untracked.has(file)) files.push(file);
    if (written.has(path)) continue;
    const entry = known.ignored.find((one) => (one.endsWith('/') ? file.startsWith(one) : file === one));
    if (entry !== undefined) ignored.set(entry, (ignored.get(entry) ?? 0) + 1);
  }
  return { files: files.sort(), ignored };
}

function findingsOf(
  { name, kind, stage }: PlannedJob,
  { files, ignored }: LeftOut,
  read: ReadonlySet<string>,
  { root }: Repository,
): Finding[] {
  const [, bare = name] = /^[a-z]+:(.*)$/.exec(name) ?? [];
  const table =
    kind === 'standard' ? `standards.${bare}` : stage === 'scope' ? `scopes.${bare}` : `jobs.${bare}`;
  const findings: Finding[] = [];
  if (files.length > 0) {
    findings.push(
      warn(
        'inputs',
        `${name} read ${count(files.length, 'file')} that its inputs leave out: ${listed(files)}.`,
        `Add what its result depends on to the inputs of [${table}]: until then an edit of it does not make ${name} run again.`,
      ),
    );
  }
  if (ignored.size > 0) {
    const each = [...ignored].map(([entry, number]) =>
      entry.endsWith('/') ? `${entry} (${count(number, 'file')})` : entry,
    );
    findings.push(
      warn(
        'inputs',
        `${name} read what git ignores and its inputs leave out: ${listed(each)}.`,
        `Name what pins it, such as a lockfile, in the toolchain of [${table}], or add it to the inputs.`,
      ),
    );
  }
  if (findings.length > 0) return findings;
  const inside = [...read].filter((path) => path.startsWith(`${root}/`)).length;
  return [fine('inputs', `${name} read ${count(inside, 'file')} of the project, all of them declared.`)];
}

const listed = (names: readonly string[]) => {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
