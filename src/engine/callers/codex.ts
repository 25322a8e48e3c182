import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../contract/values.ts';
import { directoryNamed, homeOfUser, isSamePlace, lastObjects, objectIn } from './record-file.ts';
import { type CallerFacts, type Source, type Standing, sessionId } from './standing.ts';

const META = 'x-codex-turn-metadata';

/**
 * Codex (seen with 0.169.0): a call carries its turn's metadata with the session; the session's rollout,
 * `sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`, has a `turn_context` with the directory of each turn, and
 * each command with its own.
 */
export const codex: Source = {
  client: 'codex',
  session(facts) {
    const meta = metadata(facts);
    const { threadId, sessionId: named } = facts.meta ?? {};
    return [meta?.thread_id, meta?.session_id, threadId, named].map(sessionId).find((id) => id !== undefined);
  },
  async carried(facts) {
    const cwd = directoryNamed(metadata(facts)?.cwd);
    return cwd === undefined ? undefined : standing(cwd, 'the call’s own metadata', facts);
  },
  async recorded(facts, session) {
    const home = codexHome(facts.env);
    if (home === undefined || session === undefined) return [];
    const file = await rolloutOf(join(home, 'sessions'), session);
    if (file === undefined) return [];
    const { turn, command } = await lastOf(file);
    return [
      ...(command === undefined ? [] : [{ cwd: command, evidence: 'the last command in Codex’s rollout' }]),
      ...(turn === undefined ? [] : [await standing(turn, 'Codex’s rollout', facts)]),
    ];
  },
};

/**
 * The directory of the last turn, and of the last command. A command of an earlier turn counts, as when a person only asks for
 * the proof or the session is resumed; but not when the session itself stood elsewhere then, or when that cannot be read.
 */
async function lastOf(file: string): Promise<{ turn?: string | undefined; command?: string | undefined }> {
  let turn: string | undefined;
  let command: string | undefined;
  for await (const line of lastObjects(file, TAIL_BYTES)) {
    const payload = (line.payload ?? {}) as Record<string, unknown>;
    command ??= commandDirectory(payload);
    if (line.type !== 'turn_context') continue;
    const cwd = directoryNamed(payload.cwd);
    if (cwd === undefined) return { turn };
    if (cwd !== (turn ?? cwd)) return { turn };
    turn = cwd;
    if (command !== undefined) return { turn, command };
  }
  return turn === undefined ? { command } : { turn };
}

/** A turn's context stands before all its output. */
const TAIL_BYTES = 256 * 1024;

/** A session stays where it was launched, whatever its commands' directories: to be there says nothing. */
const standing = async (cwd: string, evidence: string, { launch }: CallerFacts): Promise<Standing> => ({
  cwd,
  evidence,
  ...((await isSamePlace(cwd, launch)) ? { weak: true as const } : { declared: true as const }),
});

/** The directory of a command that was run, which Codex writes as a file URL. */
function commandDirectory({ type, item }: Record<string, unknown>): string | undefined {
  const { type: kind, cwd } = (item ?? {}) as Record<string, unknown>;
  if (type !== 'item_completed' || kind !== 'CommandExecution' || typeof cwd !== 'string') return undefined;
  if (!cwd.startsWith('file:')) return directoryNamed(cwd);
  try {
    return directoryNamed(fileURLToPath(cwd));
  } catch {
    // A URL that names nothing on this disk.
    return undefined;
  }
}

/** The metadata of a turn, as an object or as JSON in a string. */
function metadata({ meta }: CallerFacts): Record<string, unknown> | undefined {
  const value = meta?.[META];
  if (typeof value === 'string') return value.length > 16_384 ? undefined : objectIn(value);
  return isObject(value) ? value : undefined;
}

/** The directory Codex keeps its records in. */
export function codexHome(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.CODEX_HOME;
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeOfUser(env);
  return home && join(home, '.codex');
}

/** How many days of sessions are looked through, the newest first. A resumed session may be an old one. */
const MOST_DAYS = 60;

async function rolloutOf(sessions: string, session: string): Promise<string | undefined> {
  let days = 0;
  for (const year of await numbered(sessions)) {
    for (const month of await numbered(join(sessions, year))) {
      for (const day of await numbered(join(sessions, year, month))) {
        if (++days > MOST_DAYS) return undefined;
        const folder = join(sessions, year, month, day);
        const names = await readdir(folder).catch(() => [] as string[]);
        const found = names.filter(
          (name) => name.startsWith('rollout-') && name.endsWith(`-${session}.jsonl`),
        );
        const [only] = found;
        // A resumed session goes on in its own; two of one id are two stories.
        if (only !== undefined) return found.length === 1 ? join(folder, only) : undefined;
      }
    }
  }
  return undefined;
}

/** The folders named by numbers, the largest first. */
async function numbered(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => /^\d{1,4}$/.test(name)).sort((a, b) => Number(b) - Number(a));
}
