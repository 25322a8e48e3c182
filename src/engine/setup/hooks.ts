/** How a client starts our hook: absolute paths, or the client's own variable for where they lie. */
export interface HookPrograms {
  node: string;
  hook: string;
}

/** Clients that `setup` gives hooks, in the words the hook is started with. */
export type HookClient = 'claude' | 'codex' | 'copilot' | 'gemini' | 'cursor';

/** What a hook of ours is there for; each client has its own name for the event. */
type Purpose = 'guard' | 'follow' | 'greet' | 'forget' | 'prove' | 'create' | 'remove';

interface ClientEvent {
  event: string;
  /** The tools it is about, as a regular expression. */
  matcher?: string;
}

/** What every client is asked for, by its own names. One without an entry has no such event, or no use for it. */
const events: Readonly<Record<HookClient, Partial<Record<Purpose, ClientEvent>>>> = {
  claude: {
    guard: { event: 'PreToolUse', matcher: 'mcp__.*discern.*|Edit|Write|MultiEdit|NotebookEdit|Bash' },
    follow: { event: 'PostToolUse', matcher: 'EnterWorktree|ExitWorktree' },
    greet: { event: 'SessionStart' },
    forget: { event: 'SessionEnd' },
    prove: { event: 'Stop' },
    create: { event: 'WorktreeCreate' },
    remove: { event: 'WorktreeRemove' },
  },
  codex: {
    guard: { event: 'PreToolUse', matcher: 'Bash|apply_patch|Edit|Write' },
    greet: { event: 'SessionStart' },
    prove: { event: 'Stop' },
  },
  copilot: {
    guard: { event: 'preToolUse', matcher: 'bash|create|edit|apply_patch|discern-.*' },
    greet: { event: 'sessionStart' },
    forget: { event: 'sessionEnd' },
    prove: { event: 'agentStop' },
  },
  gemini: {
    guard: { event: 'BeforeTool', matcher: 'run_shell_command|write_file|replace' },
    greet: { event: 'SessionStart' },
    prove: { event: 'AfterAgent' },
  },
  cursor: {
    guard: { event: 'preToolUse', matcher: 'Shell|Write|StrReplace|Delete|EditNotebook' },
    greet: { event: 'sessionStart' },
    prove: { event: 'stop' },
  },
};

/** Purposes that stand in for Claude Code itself. A plugin's hooks are not there yet when `claude --worktree` makes a worktree. */
const standingIn: ReadonlySet<Purpose> = new Set<Purpose>(['create', 'remove']);

/** How long a hook may take, in seconds: one that does more than look takes what a project's setup takes. */
const seconds: Readonly<Record<Purpose, number>> = {
  guard: 5,
  follow: 30,
  greet: 5,
  forget: 5,
  prove: 30,
  create: 1800,
  remove: 300,
};

/** One hook of ours as a client's settings have it: an item of the list of its event. */
export interface HookItem {
  event: string;
  item: object;
}

/**
 * The hooks of ours in one client's form. With `part` only those of Claude Code's plugin, or only those that have to stand in its
 * settings.
 */
export function hooksFor(
  client: HookClient,
  programs: HookPrograms,
  part?: 'plugin' | 'settings',
): HookItem[] {
  return (Object.entries(events[client]) as [Purpose, ClientEvent][])
    .filter(([purpose]) => part === undefined || (part === 'settings') === standingIn.has(purpose))
    .map(([purpose, { event, matcher }]) => {
      const commandBy = (quoted: (word: string) => string) =>
        `${quoted(programs.node)} ${quoted(programs.hook)} ${client} ${event}`;
      return { event, item: itemFor(client, commandBy, seconds[purpose], matcher) };
    });
}

function itemFor(
  client: HookClient,
  commandBy: (quoted: (word: string) => string) => string,
  timeout: number,
  matcher: string | undefined,
): object {
  const about = matcher === undefined ? {} : { matcher };
  const command = commandBy(shellWord);
  switch (client) {
    case 'copilot':
      // It denies every tool where a hook fails, as ours would once its files are gone.
      return {
        type: 'command',
        ...about,
        bash: `${command} || exit 0`,
        powershell: `& ${commandBy(powershellWord)}; exit 0`,
        timeoutSec: timeout,
      };
    case 'cursor':
      return { command, ...about };
    case 'gemini':
      return { ...about, hooks: [{ name: 'discern', type: 'command', command, timeout: timeout * 1000 }] };
    default:
      return { ...about, hooks: [{ type: 'command', command, timeout }] };
  }
}

/** Whether an item of a client's list of hooks is one that `setup` put there, from wherever it was run. */
export function isOurHook(client: HookClient, event: string): (item: unknown) => boolean {
  const ours = new RegExp(`[\\\\/]hook\\.js["']? ${client} ${event}(?: \\|\\| exit 0|; exit 0)?$`);
  const commandsOf = (value: unknown): unknown[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { command, bash, hooks } = value as Record<string, unknown>;
    return [command, bash, ...(Array.isArray(hooks) ? hooks.flatMap(commandsOf) : [])];
  };
  return (item) => {
    const commands = commandsOf(item).filter((one) => typeof one === 'string');
    return commands.length > 0 && commands.every((one) => ours.test(one));
  };
}

/** Within double quotes, which a POSIX shell and Windows' take alike, and in which the client's own variable still is one. */
export function shellWord(word: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform === 'win32') return `"${word}"`;
  return `"${word.replace(/["\\`]|\$(?!\{CLAUDE_PLUGIN_ROOT\})/g, '\\$&')}"`;
}

/** Within single quotes, in which PowerShell takes every character for itself; a quote is written twice. */
export const powershellWord = (word: string): string =>
  /^[\w.:/\\-]+$/.test(word) ? word : `'${word.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
