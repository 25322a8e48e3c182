import { isAbsolute, join } from 'node:path';
import { directoryNamed, homeOfUser, isSamePlace, readTail } from './record-file.ts';
import { type Source, sessionId } from './standing.ts';

/**
 * Copilot CLI (seen with 1.0.102): `session-state/<id>/workspace.yaml` has the session's directory as `cwd`, rewritten by
 * `/worktree` and `/cwd`.
 */
export const copilot: Source = {
  client: 'copilot',
  session: ({ env }) => sessionId(env.COPILOT_AGENT_SESSION_ID),
  async recorded({ env, launch }, session) {
    const home = stateHome(env);
    if (home === undefined || session === undefined) return [];
    const found = await readTail(join(home, 'session-state', session, 'workspace.yaml'));
    const cwd = found?.whole ? directoryNamed(scalar(found.text, 'cwd')) : undefined;
    if (cwd === undefined) return [];
    const moved = !(await isSamePlace(cwd, launch));
    return [{ cwd, evidence: 'Copilot’s session state', ...(moved && { declared: true as const }) }];
  },
};

/** The directory Copilot CLI keeps its records in. */
export function stateHome(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.COPILOT_HOME;
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeOfUser(env);
  return home && join(home, '.copilot');
}

/**
 * The value of a key at the top of a YAML mapping, when it is one plain or quoted line, as a path is; `undefined` for every
 * other form, and where the key stands twice. (YAML 1.2, 7.3 "Flow Scalar Styles".)
 */
export function scalar(text: string, key: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith(`${key}:`));
  const [line] = lines;
  if (line === undefined || lines.length > 1) return undefined;
  const value = line.slice(key.length + 1).trim();
  const single = /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(value)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const double = /^("(?:[^"\\]|\\.)*")(?:\s+#.*)?$/.exec(value)?.[1];
  if (double !== undefined) {
    try {
      return JSON.parse(double) as string;
    } catch {
      // Escapes that JSON lacks; no path needs them.
      return undefined;
    }
  }
  const plain = value.replace(/\s+#.*$/, '');
  return /^[^\s"'|>&*!%@`{[\]},#?:-]/.test(plain) && !/:\s/.test(plain) ? plain : undefined;
}
