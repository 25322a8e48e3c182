import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SetupClient } from '../../contract/setup-clients.ts';
import { Refusal } from '../call/refusal.ts';
import { homeOfUser } from '../callers/record-file.ts';
import { exists, orWhenAbsent, writeFileAtomic } from '../files/files.ts';
import { openRepository } from '../repository/repository.ts';
import { findRoot, isInGit } from '../repository/root.ts';
import { worktreesDir } from '../worktree/place.ts';
import { editConfig } from './config-edit.ts';
import { type HookClient, type HookItem, hooksFor, isOurHook } from './hooks.ts';
import {
  type JsonTarget,
  type JsonValue,
  jsonValues,
  removeEmpty,
  type SetupAction,
  said,
} from './json-values.ts';
import { opencodePlugin, pluginMark } from './opencode-plugin.ts';
import { pluginFiles } from './plugin.ts';
import { setTable, tableLines, unsetTable } from './toml-edit.ts';

export interface SetupOptions {
  client: SetupClient;
  action: SetupAction;
  env: NodeJS.ProcessEnv;
  /** Where the person stands; `undefined` when that is gone. */
  cwd: string | undefined;
  /** The directory our programs lie in, and the node that runs them. */
  dist: string;
  node: string;
  /** What `node` needs in its environment to be one: VS Code's own is Electron. */
  nodeEnv?: Record<string, string>;
}

/** With `check` everything is looked at and refused as it would be, and nothing is written. */
type Pass = SetupOptions & { check?: boolean };

/**
 * Writes our server into one client's own configuration, takes it out again, or only says what would be there. Resolves with what
 * a person is told. Refuses what it cannot edit without guessing; then nothing was written.
 */
export async function setup(options: SetupOptions): Promise<string[]> {
  // A client may have several files: none is written where another one would be refused.
  if (options.action !== 'print') await pass({ ...options, check: true });
  return pass(options);
}

async function pass(options: Pass): Promise<string[]> {
  if (options.client === 'claude') return claudePlugin(options);
  const hooks = hooksApart(options);
  const server =
    options.client === 'codex'
      ? await codexTables(options)
      : await jsonValues(options, await jsonTarget(options));
  return [
    ...server,
    ...(hooks ? await jsonValues(options, hooks) : []),
    ...(options.client === 'opencode' ? await opencodeHooks(options) : []),
    ...advice(options),
  ];
}

/** The file of a client that has its hooks apart from its servers. */
function hooksApart({ client, env, dist, node }: SetupOptions): JsonTarget | undefined {
  if (client !== 'codex' && client !== 'copilot' && client !== 'cursor') return undefined;
  const values = hookValues(client, hooksFor(client, { node, hook: join(dist, 'hook.js') }));
  if (client === 'codex') return { file: join(codexHome(env), 'hooks.json'), values };
  const version: JsonValue = { path: ['version'], value: 1 };
  if (client === 'cursor') {
    const file = join(homeIn(env), '.cursor', 'hooks.json');
    return { file, values: [{ ...version, shared: true }, ...values] };
  }
  return { file: join(copilotHome(env), 'hooks', 'discern.json'), ours: true, values: [version, ...values] };
}

/** What is left to the person after writing. */
function advice({ client, action }: SetupOptions): string[] {
  if (action !== 'write') return [];
  if (client === 'codex')
    return ['Codex runs a new hook only once you have reviewed it: type /hooks in a session and trust ours.'];
  if (client === 'mcp-json')
    return ['It names programs of this machine: keep it out of commits, for example in .git/info/exclude.'];
  return [];
}

const codexHome = (env: NodeJS.ProcessEnv) => env.CODEX_HOME || join(homeIn(env), '.codex');
const copilotHome = (env: NodeJS.ProcessEnv) => env.COPILOT_HOME || join(homeIn(env), '.copilot');

/** The hooks of one client as values of its file. */
const hookValues = (client: HookClient, items: readonly HookItem[]): JsonValue[] =>
  items.map(({ event, item }) => ({ path: ['hooks', event], value: item, item: isOurHook(client, event) }));

async function jsonTarget({ client, env, cwd, dist, node, nodeEnv }: SetupOptions): Promise<JsonTarget> {
  const args = [join(dist, 'server.js')];
  const home = homeIn(env);
  const plain = { command: node, args };
  const programs = { node, hook: join(dist, 'hook.js') };
  switch (client) {
    case 'copilot':
      return ofServers(join(copilotHome(env), 'mcp-config.json'), {
        type: 'local',
        ...plain,
        tools: ['*'],
      });
    case 'gemini': {
      const made = target(join(home, '.gemini', 'settings.json'), 'mcpServers', plain);
      return { ...made, values: [...made.values, ...hookValues('gemini', hooksFor('gemini', programs))] };
    }
    case 'cursor':
      return ofServers(join(home, '.cursor', 'mcp.json'), plain);
    case 'zed':
      return target(zedFile(env, home), 'context_servers', plain);
    case 'mcp-json': {
      // It joins the window that has the project open, where there is one.
      const joining = { command: node, args: [join(dist, 'attach.js')] };
      return ofServers(join(await projectOf(cwd), '.mcp.json'), {
        ...joining,
        ...(nodeEnv && { env: nodeEnv }),
      });
    }
    case 'vscode': {
      const root = await projectOf(cwd);
      // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's own variable, for VS Code to resolve.
      const rooted = { type: 'stdio', command: node, args: [...args, '--root', '${workspaceFolder}'] };
      return target(join(root, '.vscode', 'mcp.json'), 'servers', rooted);
    }
    default: {
      const server = { type: 'local', command: [node, ...args], enabled: true };
      const made = target(await opencodeFile(env, home), 'mcp', server);
      const worktrees = await worktreesOf(cwd);
      if (worktrees === undefined) return made;
      const path = ['permission', 'external_directory', `${worktrees}/**`];
      return { ...made, values: [...made.values, { path, value: 'allow', optional: true }] };
    }
  }
}

const target = (file: string, table: string, value: object): JsonTarget => ({
  file,
  values: [{ path: [table, 'discern'], value }],
});

const ofServers = (file: string, value: object): JsonTarget => ({
  ...target(file, 'mcpServers', value),
  servers: true,
});

function projectOf(cwd: string | undefined): Promise<string> {
  if (cwd === undefined) throw new Refusal('path_not_found', 'The current directory is gone.');
  return findRoot(cwd);
}

/** Zed's own settings: it has them in `~/.config` on macOS too, and follows XDG_CONFIG_HOME on Linux alone. */
function zedFile(env: NodeJS.ProcessEnv, home: string): string {
  if (process.platform === 'win32')
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Zed', 'settings.json');
  const xdg = process.platform === 'linux' ? env.XDG_CONFIG_HOME : undefined;
  return join(xdg || join(home, '.config'), 'zed', 'settings.json');
}

const opencodeDir = (env: NodeJS.ProcessEnv, home: string) =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');

async function opencodeFile(env: NodeJS.ProcessEnv, home: string): Promise<string> {
  if (env.OPENCODE_CONFIG) return env.OPENCODE_CONFIG;
  const dir = opencodeDir(env, home);
  const commented = join(dir, 'opencode.jsonc');
  return (await exists(commented)) ? commented : join(dir, 'opencode.json');
}

/** The plugin that stands for hooks in opencode: one file of ours in the folder it loads plugins from. */
async function opencodeHooks({ action, client, env, dist, node, check }: Pass): Promise<string[]> {
  const file = join(opencodeDir(env, homeIn(env)), 'plugins', 'discern.js');
  const text = opencodePlugin({ node, hook: join(dist, 'hook.js') });
  if (action === 'print') return [`${file}:`, text.trimEnd()];
  const now = await readFile(file, 'utf8').catch(orWhenAbsent(undefined));
  if (now !== undefined && !now.startsWith(pluginMark)) {
    if (action === 'remove') return [said(client, action, file, false)];
    throw new Refusal('path_exists', `${file} is there and is not our plugin: move it first.`);
  }
  const changed = action === 'remove' ? now !== undefined : now !== text;
  if (check) return [];
  if (changed && action === 'remove') {
    await rm(file);
    await removeEmpty(dirname(file), ['.']);
  } else if (changed) {
    await mkdir(dirname(file), { recursive: true });
    await writeFileAtomic(file, text);
  }
  return [said(client, action, file, changed)];
}

/** Where `start` makes the worktrees of the project a person stands in; `undefined` outside of any. */
async function worktreesOf(cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined || !(await isInGit(cwd))) return undefined;
  const root = await findRoot(cwd).catch((error: unknown) => {
    // A repository without discern.toml has no worktrees of ours yet.
    if (Refusal.is(error)) return undefined;
    throw error;
  });
  return root && worktreesDir(await openRepository(root));
}

async function codexTables({ action, client, env, cwd, dist, node, check }: Pass): Promise<string[]> {
  const file = join(codexHome(env), 'config.toml');
  const start = { command: node, args: [join(dist, 'server.js')] };
  if (action === 'print') return [`${file}:`, ...tableLines(start), ...(await ofSandbox(cwd))];
  const changed = await editConfig(
    file,
    (text) => (action === 'write' ? setTable(text, start) : unsetTable(text)),
    check,
  );
  return [said(client, action, file, changed), ...(action === 'write' ? await ofSandbox(cwd) : [])];
}

/** A sandbox is the person's: what it needs is said, and not opened for them. */
async function ofSandbox(cwd: string | undefined): Promise<string[]> {
  const worktrees = await worktreesOf(cwd);
  if (worktrees === undefined) return [];
  return [
    `In "workspace-write" Codex may not write our worktrees. Allow this folder in [sandbox_workspace_write]: writable_roots = [${JSON.stringify(worktrees)}].`,
    'Leave the git directory closed: its hooks run outside of the sandbox. discern_commit commits for it.',
  ];
}

async function claudePlugin(options: Pass): Promise<string[]> {
  const { action, client, env, dist, node } = options;
  const folder = join(claudeHome(env), 'skills', 'discern');
  const programs = { node, server: join(dist, 'server.js'), hook: join(dist, 'hook.js') };
  const files = Object.entries(pluginFiles(programs, DISCERN_VERSION));
  if (action === 'print') {
    const shown = files.flatMap(([name, text]) => [`${join(folder, name)}:`, text.trimEnd(), '']);
    return [...shown, ...(await jsonValues(options, claudeSettings(options)))];
  }
  const manifest = join(folder, '.claude-plugin', 'plugin.json');
  if ((await exists(folder)) && !(await isOurs(manifest))) {
    throw new Refusal('path_exists', `${folder} is there and is not our plugin: move it first.`);
  }
  if (options.check) return jsonValues(options, claudeSettings(options));
  let changed = false;
  // The manifest says that the folder is ours, so it comes first and goes last: after a crash it can be done again.
  for (const [name, text] of action === 'remove' ? files.toReversed() : files) {
    const file = join(folder, name);
    const now = await readFile(file, 'utf8').catch(orWhenAbsent(undefined));
    if (action === 'remove') {
      if (now === undefined) continue;
      await rm(file);
    } else {
      if (now === text) continue;
      await mkdir(dirname(file), { recursive: true });
      await writeFileAtomic(file, text);
    }
    changed = true;
  }
  if (action === 'remove')
    await removeEmpty(folder, [...files.map(([name]) => dirname(name)), 'skills', '.']);
  return [
    said(client, action, folder, changed),
    ...(await jsonValues(options, claudeSettings(options))),
    ...(action === 'write'
      ? ['It is a plugin: server, hooks and a skill. Sessions that run now do not have it.']
      : []),
  ];
}

/** The hooks a plugin cannot have in time. Where a person has such a hook already, that one stays. */
function claudeSettings({ env, dist, node }: SetupOptions): JsonTarget {
  const items = hooksFor('claude', { node, hook: join(dist, 'hook.js') }, 'settings');
  const values = hookValues('claude', items).map((value) => ({ ...value, alone: true as const }));
  return { file: join(claudeHome(env), 'settings.json'), values };
}

const claudeHome = (env: NodeJS.ProcessEnv) => env.CLAUDE_CONFIG_DIR || join(homeIn(env), '.claude');

async function isOurs(manifest: string): Promise<boolean> {
  const text = await readFile(manifest, 'utf8').catch(orWhenAbsent(''));
  return /"name": "discern"/.test(text);
}

function homeIn(env: NodeJS.ProcessEnv): string {
  const home = homeOfUser(env);
  if (home === undefined) throw new Refusal('path_not_found', 'This user has no home: set HOME.');
  return home;
}
