import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isInside } from '../../contract/inside.ts';
import { isThereSince } from '../process/alive.ts';
import { type ProcStat, procStat } from '../process/proc-stat.ts';
import { directoryNamed, homeOfUser, isSamePlace, lastObjects, objectIn, readTail } from './record-file.ts';
import { type CallerFacts, type Source, type Standing, sessionId } from './standing.ts';

/**
 * Claude Code (seen with 2.1.197). Its process keeps `sessions/<pid>.json` with the session's directory, rewritten when the
 * session enters or leaves a worktree and removed when it ends. The transcript `projects/<folder>/<session>.jsonl` has the
 * shell's directory on each line, and a `worktree-state` record for each move.
 */
export const claude: Source = {
  client: 'claude',
  session: ({ env }) => sessionId(env.CLAUDE_CODE_SESSION_ID),
  async shared({ env }, session) {
    const home = configHome(env);
    return home !== undefined && (await isShared(home, session));
  },
  async recorded(facts, session) {
    const home = configHome(facts.env);
    if (home === undefined) return [];
    const process = await processRecord(home, facts.parent, session);
    const current = process?.session ?? session;
    const [lines, shared] =
      current === undefined
        ? [[], false]
        : await Promise.all([transcript(home, current), isShared(home, current)]);
    const stands = process && (await byProcess(process, facts));
    if (shared) return stands ? [stands] : [];
    if (stands?.declared) return [stands, ...lines.filter((one) => !one.declared)];
    if (!stands) return lines;
    // Its shell may have gone on from there, which the transcript knows; but that is written later, and may not have the way back yet.
    const left = lines.find((one) => one.declared);
    return [...lines.filter((one) => !one.declared && !(left && isInside(one.cwd, left.cwd))), stands];
  },
};

/** The directory Claude Code keeps its records in. */
export function configHome(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.CLAUDE_CONFIG_DIR;
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeOfUser(env);
  return home && join(home, '.claude');
}

interface ProcessRecord {
  session: string | undefined;
  cwd: string;
}

/** How far up the client may be: it can start servers through `npx` and a shell. */
const MOST_ANCESTORS = 4;

/** What the client's own process says of its session; another process that took its number says nothing. */
async function processRecord(
  home: string,
  parent: number,
  session: string | undefined,
): Promise<ProcessRecord | undefined> {
  let pid: number | undefined = parent;
  for (let up = 0; up < MOST_ANCESTORS && pid !== undefined && pid > 1; up++) {
    const stat: ProcStat | undefined = procStat(pid);
    const found = await readTail(join(home, 'sessions', `${pid}.json`), 16 * 1024);
    const record = found?.whole ? objectIn(found.text) : undefined;
    const cwd = directoryNamed(record?.cwd);
    if (record && cwd !== undefined && record.pid === pid) {
      const born = typeof record.procStart === 'string' ? record.procStart : undefined;
      const sure = born !== undefined && stat !== undefined;
      if (sure && born !== stat.started) return undefined;
      const own = sessionId(record.sessionId);
      // A cleared conversation has a new id, which the environment of a running server cannot have.
      if (sure || own === session) return { session: own, cwd };
      return undefined;
    }
    pid = stat?.parent;
  }
  return undefined;
}

/** Where a session stands by its process's record. One that is where it was launched declares no move, but may have come back there. */
async function byProcess({ cwd }: ProcessRecord, { env, launch }: CallerFacts): Promise<Standing> {
  const launched = await Promise.all([env.CLAUDE_PROJECT_DIR, launch].map((one) => isSamePlace(cwd, one)));
  return {
    cwd,
    evidence: 'Claude Code’s session record',
    ...(!launched.includes(true) && { declared: true as const }),
  };
}

/** More processes at once than a person has; then nobody knows whose a word is. */
const MOST_PROCESSES = 256;

/** True when two living processes have one session id, as when a session is resumed in a second terminal. */
async function isShared(home: string, session: string): Promise<boolean> {
  const folder = join(home, 'sessions');
  const names = (await readdir(folder).catch(() => [] as string[])).filter((name) =>
    /^\d{1,10}\.json$/.test(name),
  );
  if (names.length < 2) return false;
  if (names.length > MOST_PROCESSES) return true;
  const living = await Promise.all(
    names.map(async (name) => {
      const found = await readTail(join(folder, name), 16 * 1024);
      const record = found?.whole ? objectIn(found.text) : undefined;
      return record?.sessionId === session && lives(record);
    }),
  );
  return living.filter(Boolean).length > 1;
}

/** Whether the process that wrote a record is there still, as far as the system tells. */
const lives = ({ pid, procStart }: Record<string, unknown>): boolean =>
  typeof pid === 'number' && Number.isSafeInteger(pid) && pid >= 2 && isThereSince(pid, procStart);

/** The most folders of transcripts that are looked through for a session. */
const MOST_FOLDERS = 2_000;

/** What the end of a session's transcript says: a declared move, and the shell's directory. */
async function transcript(home: string, session: string): Promise<Standing[]> {
  const files = await transcriptsOf(join(home, 'projects'), session);
  // Two transcripts of one id are two stories; which is this session's cannot be known.
  const [file] = files;
  if (file === undefined || files.length > 1) return [];
  const evidence = 'Claude Code’s transcript';
  const found: Standing[] = [];
  let shell = false;
  for await (const line of lastObjects(file)) {
    if (line.sessionId !== undefined && line.sessionId !== session) continue;
    if (line.type === 'worktree-state') {
      const entered = (line.worktreeSession ?? {}) as Record<string, unknown>;
      const cwd = directoryNamed(entered.worktreePath);
      if (cwd !== undefined) found.unshift({ cwd, evidence, declared: true });
      // What its shell did before it moved, or moved back, is over.
      return found;
    }
    const cwd = shell ? undefined : directoryNamed(line.cwd);
    if (cwd !== undefined) {
      shell = true;
      found.push({ cwd, evidence });
    }
  }
  return found;
}

/** The transcripts with this session's name, in whichever folder: their names are made from directories by a rule of the client's own. */
async function transcriptsOf(projects: string, session: string): Promise<string[]> {
  const folders = await readdir(projects).catch(() => [] as string[]);
  if (folders.length > MOST_FOLDERS) return [];
  const name = `${session}.jsonl`;
  const found = await Promise.all(
    folders.map(async (folder) => {
      const path = join(projects, folder, name);
      return (await readTail(path, 0)) ? [path] : [];
    }),
  );
  return found.flat();
}
