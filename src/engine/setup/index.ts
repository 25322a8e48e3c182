import { mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SetupClient } from '../../contract/setup-clients.ts';
import { homeOfUser } from '../callers/record-file.ts';
import { exists, orWhenAbsent, writeFileAtomic } from '../files.ts';
import { Refusal } from '../refusal.ts';
import { openRepository } from '../repository.ts';
import { findRoot, isInGit } from '../root.ts';
import { worktreesDir } from '../worktree/place.ts';
import { editConfig } from './config-edit.ts';
import { set, unset } from './json-edit.ts';
import { pluginFiles } from './plugin.ts';
import { setTable, tableLines, unsetTable } from './toml-edit.ts';

export interface SetupOptions {
  client: SetupClient;
  action: 'write' | 'remove' | 'print';
  env: NodeJS.ProcessEnv;
  /** Where the person stands; `undefined` when that is gone. */
  cwd: string | undefined;
  /** The directory our programs lie in, and the node that runs them. */
  dist: string;
  node: string;
}

/** One value in a client's JSON file. */
interface JsonTarget {
  file: string;
  /** What is `optional` is left to the person where there is something else in its place. */
  values: { path: string[]; value: unknown; optional?: true }[];
}

/**
 * Writes our server into one client's own configuration, takes it out again, or only says what would be there. Resolves with what
 * a person is told. Refuses what it cannot edit without guessing; then nothing was written.
 */
export async function setup(options: SetupOptions): Promise<string[]> {
  if (options.client === 'claude') return claudePlugin(options);
  if (options.client === 'codex') return codexTables(options);
  return jsonValues(options, await jsonTarget(options));
}

async function jsonValues({ action, client }: SetupOptions, { file, values }: JsonTarget): Promise<string[]> {
  if (action === 'print') {
    const whole = values.reduce((text, { path, value }) => textOf(set(text, path, value)), '{}\n');
    return [`${file}:`, whole.trimEnd()];
  }
  const notes: string[] = [];
  const changed = await editConfig(file, (text) => {
    let now = text;
    for (const { path, value, optional } of values) {
      const edited = action === 'write' ? set(now, path, value) : unset(now, path);
      if ('problem' in edited) {
        if (!optional) return edited;
        notes.push(`It ${edited.problem}: unless that says so already, allow ${path.at(-1)} there.`);
        continue;
      }
      now = edited.text;
    }
    return { text: now };
  });
  return [said(client, action, file, changed), ...(action === 'write' ? notes : [])];
}

async function jsonTarget({ client, env, cwd, dist, node }: SetupOptions): Promise<JsonTarget> {
  const args = [join(dist, 'server.js')];
  const home = homeIn(env);
  const plain = { command: node, args };
  switch (client) {
    case 'copilot':
      return target(join(home, '.copilot', 'mcp-config.json'), 'mcpServers', {
        type: 'local',
        ...plain,
        tools: ['*'],
      });
    case 'gemini':
      return target(join(home, '.gemini', 'settings.json'), 'mcpServers', plain);
    case 'cursor':
      return target(join(home, '.cursor', 'mcp.json'), 'mcpServers', plain);
    case 'vscode': {
      if (cwd === undefined) throw new Refusal('path_not_found', 'The current directory is gone.');
      const root = await findRoot(cwd);
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

async function opencodeFile(env: NodeJS.ProcessEnv, home: string): Promise<string> {
  if (env.OPENCODE_CONFIG) return env.OPENCODE_CONFIG;
  const dir = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
  const commented = join(dir, 'opencode.jsonc');
  return (await exists(commented)) ? commented : join(dir, 'opencode.json');
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

async function codexTables({ action, client, env, cwd, dist, node }: SetupOptions): Promise<string[]> {
  const file = join(env.CODEX_HOME || join(homeIn(env), '.codex'), 'config.toml');
  const start = { command: node, args: [join(dist, 'server.js')] };
  if (action === 'print') return [`${file}:`, ...tableLines(start), ...(await ofSandbox(cwd))];
  const changed = await editConfig(file, (text) =>
    action === 'write' ? setTable(text, start) : unsetTable(text),
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

async function claudePlugin({ action, client, env, dist, node }: SetupOptions): Promise<string[]> {
  const folder = join(env.CLAUDE_CONFIG_DIR || join(homeIn(env), '.claude'), 'skills', 'discern');
  const programs = { node, server: join(dist, 'server.js'), hook: join(dist, 'hook.js') };
  const files = Object.entries(pluginFiles(programs, DISCERN_VERSION));
  if (action === 'print')
    return files.flatMap(([name, text]) => [`${join(folder, name)}:`, text.trimEnd(), '']);
  const manifest = join(folder, '.claude-plugin', 'plugin.json');
  if ((await exists(folder)) && !(await isOurs(manifest))) {
    throw new Refusal('path_exists', `${folder} is there and is not our plugin: move it first.`);
  }
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
    await removeEmpty(
      folder,
      files.map(([name]) => dirname(name)),
    );
  return [
    said(client, action, folder, changed),
    ...(action === 'write'
      ? ['It is a plugin: server, hooks and a skill. Sessions that run now do not have it.']
      : []),
  ];
}

async function isOurs(manifest: string): Promise<boolean> {
  const text = await readFile(manifest, 'utf8').catch(orWhenAbsent(''));
  return /"name": "discern"/.test(text);
}

/** Takes away folders of ours that are empty now; what somebody put there stays. */
async function removeEmpty(folder: string, names: readonly string[]): Promise<void> {
  for (const name of [...names, 'skills', '.']) {
    await rmdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  }
}

function said(client: string, action: SetupOptions['action'], where: string, changed: boolean): string {
  if (action === 'remove') return changed ? `Removed from ${where}.` : `${where} has nothing of ours.`;
  if (!changed) return `${where} is set up already.`;
  return `Wrote ${where}. "discern setup ${client} --remove" takes it back.`;
}

function homeIn(env: NodeJS.ProcessEnv): string {
  const home = homeOfUser(env);
  if (home === undefined) throw new Refusal('path_not_found', 'This user has no home: set HOME.');
  return home;
}

function textOf(edited: ReturnType<typeof set>): string {
  if ('problem' in edited) throw new Error(edited.problem);
  return edited.text;
}
