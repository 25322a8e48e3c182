import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Records of client sessions in a home of their own, in the form the real clients write them (test/clients has these). */
export function sessionsIn(home: string, session = '7d8f2c1e-0000-4000-8000-000000000001') {
  const write = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  return {
    session,
    /** Claude Code's process, which is this one: it starts the server. */
    claude: {
      env: (project: string) => ({
        HOME: home,
        CLAUDE_CODE_SESSION_ID: session,
        CLAUDE_PROJECT_DIR: project,
      }),
      process: async (cwd: string, rest: Record<string, unknown> = {}) =>
        write(
          join(home, '.claude/sessions', `${process.pid}.json`),
          JSON.stringify({ pid: process.pid, sessionId: session, cwd, procStart: await born(), ...rest }),
        ),
      transcript: (lines: unknown[], { folder = '-somewhere-app', tail = '' } = {}) =>
        write(
          join(home, '.claude/projects', folder, `${session}.jsonl`),
          `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${tail}`,
        ),
    },
    copilot: {
      env: { HOME: home, COPILOT_AGENT_SESSION_ID: session },
      state: (text: string) => write(join(home, '.copilot/session-state', session, 'workspace.yaml'), text),
    },
    codex: {
      env: { HOME: home },
      meta: { 'x-codex-turn-metadata': { session_id: session, thread_id: session } },
      rollout: (lines: unknown[], day = '2026/12/02') =>
        write(
          join(home, '.codex/sessions', day, `rollout-${day.replaceAll('/', '-')}T10-00-00-${session}.jsonl`),
          `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
        ),
    },
  };
}

/** When this process was born (proc(5)); nothing where there is no such file system, and then no client can tell either. */
async function born(): Promise<string | undefined> {
  const text = await readFile(`/proc/${process.pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
