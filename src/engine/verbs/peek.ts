import { realpath } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { PeekData } from '../../contract/verbs-fleet.ts';
import { manyLines } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { alsoLooking } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import { readTail } from '../callers/record-file.ts';
import { plain } from '../diagnostics/clean.ts';
import { projectAt } from '../fleet/known-projects.ts';
import { type NamedWorktree, whereNamed, worktreeThere } from '../fleet/named-worktree.ts';
import { placedSessions } from '../fleet/placed-sessions.ts';
import { lookAtProject } from '../fleet/project.ts';
import { runsDir } from '../jobs/run-dir.ts';
import { lastRunIn } from '../worktree/last-run.ts';

/** Bytes of an answer's data, as JSON (contract §4: at most 4 KB with what stands around it). */
const MOST_BYTES = 3_600;

/** Characters of a job's last lines, and of a session's last words, before they are cut to the limit. */
const MOST_OUTPUT = 1_600;
const MOST_WORDS = 900;

/**
 * One worktree: git, the last lines of the job that runs, or that failed or ran last, and the last words of the session that was active
 * in it last. Changes nothing, and runs nothing of the repository's.
 */
export async function peek(root: string, args: Args<'peek'>, ctx: Context): Promise<Result<'peek'>> {
  return alsoLooking(async () => {
    const named = await worktreeThere(root, args.worktree, ctx);
    const project = await projectAt(named.root);
    const { placed } = await placedSessions(ctx);
    const looked = project && (await lookAtProject(project, placed, ctx));
    const row = looked?.worktrees.find(({ path }) => path === named.top);
    if (row === undefined) {
      throw new Refusal(
        'path_not_found',
        `${named.top} cannot be looked into${looked?.problem === undefined ? '' : `: ${looked.problem}`}`,
      );
    }
    const { sessions, path: _path, root: _root, location: _location, managed: _managed, ...rest } = row;
    const { locked: _locked, missing: _missing, queue: _queue, last_activity: _at, ...git } = rest;
    const [session] = sessions;
    const said = placed.find(
      ({ row: one }) => one.id === session?.id && one.client === session?.client,
    )?.said;
    const data: PeekData = {
      ...git,
      ...whereNamed(named),
      ...(await jobOf(named)),
      ...(session && {
        session: {
          ...session,
          ...(said !== undefined && { text: endOf(manyLines(said.trim()), MOST_WORDS) }),
        },
      }),
      sessions: sessions.length,
    };
    return {
      ok: true,
      data: fitted(data),
      message: git.needs_attention ? `Needs a person: ${git.needs_attention.join(', ')}.` : 'Needs nobody.',
    };
  });
}

/** The last lines a job printed: of the run that is going on, else of what failed last, else of what ran last. */
async function jobOf(named: NamedWorktree): Promise<Pick<PeekData, 'job'>> {
  const run = await lastRunIn(named);
  const path = run?.running.at(-1)?.output ?? run?.failed.at(-1)?.output ?? run?.output;
  if (path === undefined) return {};
  // Whoever can write into the worktree's git directory can name any file here: only outputs of runs are shown.
  const [file, runs] = await Promise.all(
    [path, runsDir(named.commonDir)].map((one) => realpath(one).catch(() => '')),
  );
  if (!file || !runs || !file.startsWith(runs + sep) || !basename(file).endsWith('.log')) return {};
  const tail = await readTail(file, 8 * 1024);
  const output = endOf(plain(tail?.text ?? '').trimEnd(), MOST_OUTPUT);
  return output === '' ? {} : { job: { path: file, output } };
}

/** The end of a text, from the beginning of a line where that leaves enough of it. */
function endOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most);
  const line = end.indexOf('\n');
  return `…${line >= 0 && line < most / 2 ? end.slice(line + 1) : end.slice(1)}`;
}

/** An answer within its limit: of the longest texts as much as there is room for, the newest kept. */
function fitted(data: PeekData): PeekData {
  let now = data;
  const over = () => Buffer.byteLength(JSON.stringify(now)) - MOST_BYTES;
  for (let share = 0.8; over() > 0 && share > 0.01; share *= 0.6) {
    const { job, session, commits = [], title, phase } = data;
    now = {
      ...data,
      ...(job && { job: { ...job, output: endOf(job.output, Math.floor(MOST_OUTPUT * share)) } }),
      ...(session?.text !== undefined && {
        session: { ...session, text: endOf(session.text, Math.floor(MOST_WORDS * share)) },
      }),
      ...(commits.length > 0 && {
        commits: commits.map((one) => ({ ...one, subject: one.subject.slice(0, Math.ceil(160 * share)) })),
      }),
      ...(title !== undefined && { title: title.slice(0, Math.ceil(120 * share)) }),
      ...(phase?.note !== undefined && {
        phase: { ...phase, note: phase.note.slice(0, Math.ceil(300 * share)) },
      }),
    };
  }
  return now;
}
