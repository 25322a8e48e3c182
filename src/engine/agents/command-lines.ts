import type { Launchable } from '../../contract/launchable.ts';
import { Refusal } from '../call/refusal.ts';

export interface Wish {
  /** What the session is asked first. */
  prompt?: string | undefined;
  /** The model, as the client names it. */
  model?: string | undefined;
  /** The session to go on with, by the client's own id. */
  resume?: string | undefined;
  /** The id a new session is to have, for clients that take one. */
  session: string;
}

/** How a client is started, and the id its session will have where that is known before it runs. */
export interface CommandLine {
  program: string;
  args: string[];
  session?: string;
}

/** Options as one word each, so that no value is taken for an option. */
const option = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/** A prompt that stands by itself, after the sign that no option follows. */
const last = (prompt: string | undefined): string[] => (prompt === undefined ? [] : ['--', prompt]);

const clients: Record<Launchable, (wish: Wish) => Omit<CommandLine, 'program'>> = {
  claude: ({ prompt, model, resume, session }) => ({
    args: [
      ...option('model', model),
      ...(resume === undefined ? option('session-id', session) : option('resume', resume)),
      ...last(prompt),
    ],
    session: resume ?? session,
  }),
  codex: ({ prompt, model, resume }) => ({
    args: [
      ...(resume === undefined ? [] : ['resume']),
      ...option('model', model),
      // Its id and the prompt are both positional.
      ...(resume === undefined ? last(prompt) : ['--', resume, ...(prompt === undefined ? [] : [prompt])]),
    ],
    ...(resume !== undefined && { session: resume }),
  }),
  copilot: ({ prompt, model, resume, session }) => ({
    args: [
      ...option('model', model),
      ...(resume === undefined ? option('session-id', session) : option('resume', resume)),
      ...option('interactive', prompt),
    ],
    session: resume ?? session,
  }),
  gemini: ({ prompt, model, resume, session }) => {
    if (resume !== undefined) {
      throw new Refusal(
        'unavailable',
        'Gemini CLI resumes by a number, not by an id: start it in the worktree with "gemini --list-sessions" and "gemini --resume N".',
      );
    }
    return {
      args: [
        ...option('model', model),
        ...option('session-id', session),
        ...option('prompt-interactive', prompt),
      ],
      session,
    };
  },
  opencode: ({ prompt, model, resume }) => ({
    args: [...option('model', model), ...option('session', resume), ...option('prompt', prompt)],
    ...(resume !== undefined && { session: resume }),
  }),
};

/**
 * How a client is started with these wishes (seen with Claude Code 2.1.197, Codex 0.169.0, Copilot 1.0.102, Gemini 0.61.0 and opencode
 * 1.18.33). Model and session are handed on as they are. Refuses `unavailable` where a client cannot resume by an id.
 */
export const commandLine = (client: Launchable, wish: Wish): CommandLine => ({
  program: client,
  ...clients[client](wish),
});
