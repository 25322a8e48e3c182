import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import type { SetupClient } from '../../contract/setup-clients.ts';
import { parseTree } from '../config/tree.ts';
import { readBounded } from '../files/bounded-file.ts';
import { member, membersOf, parseJsonc } from '../init/project-files.ts';
import { namesAt, stringsAt, textAt } from '../init/toml-values.ts';
import { fine, warn } from './finding.ts';
import { staleness } from './stale-program.ts';

/** Claude Code keeps whole histories in its settings file; other files are small. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A server as a host's settings name it. */
interface Registered {
  name: string;
  words: string[];
}

/** One file in which a host may name servers. */
interface Settings {
  host: string;
  path: string;
  /** What to put there, on one line. */
  line: string;
  /** What `discern setup` calls the host; its other entries are written by hand or by the host. */
  client?: SetupClient;
  /** The tables in it that hold servers. */
  tables: string[][];
  format: 'json' | 'toml';
  /** The host starts its servers somewhere else than in the project, and names it in no variable. */
  needsRoot?: boolean;
}

const jsonLine = (table: string, extra = '') =>
  `"${table}": { "discern": { "command": "discern", "args": ["mcp"${extra}] } }`;

const inJson = (host: string, path: string, client?: SetupClient): Settings => ({
  host,
  path,
  ...(client && { client }),
  line: jsonLine('mcpServers'),
  tables: [['mcpServers']],
  format: 'json',
});

const ofCodex = (path: string, client?: SetupClient): Settings => ({
  host: 'Codex',
  path,
  ...(client && { client }),
  line: '[mcp_servers.discern] with command = "discern" and args = ["mcp"]',
  tables: [['mcp_servers']],
  format: 'toml',
});

function settingsOf(roots: readonly string[]): Settings[] {
  const home = homedir();
  const codex = process.env.CODEX_HOME || join(home, '.codex');
  const here = roots.flatMap((root): Settings[] => [
    {
      host: 'VS Code',
      path: join(root, '.vscode', 'mcp.json'),
      client: 'vscode',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's own variable, for VS Code to resolve.
      line: jsonLine('servers', ', "--root", "${workspaceFolder}"'),
      tables: [['servers']],
      format: 'json',
      needsRoot: true,
    },
    inJson('Claude Code', join(root, '.mcp.json'), 'mcp-json'),
    inJson('Cursor', join(root, '.cursor', 'mcp.json')),
    ofCodex(join(root, '.codex', 'config.toml')),
    inJson('Gemini CLI', join(root, '.gemini', 'settings.json')),
  ]);
  return [
    ...here,
    {
      host: 'Claude Code',
      path: join(home, '.claude.json'),
      line: 'claude mcp add discern -- discern mcp',
      tables: [['mcpServers'], ...roots.map((root) => ['projects', root, 'mcpServers'])],
      format: 'json',
    },
    inJson(
      'Claude Code',
      join(process.env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'skills', 'discern', '.mcp.json'),
      'claude',
    ),
    inJson('Cursor', join(home, '.cursor', 'mcp.json'), 'cursor'),
    ofCodex(join(codex, 'config.toml'), 'codex'),
    inJson('Gemini CLI', join(home, '.gemini', 'settings.json'), 'gemini'),
    inJson('Copilot CLI', join(home, '.copilot', 'mcp-config.json'), 'copilot'),
  ];
}

/**
 * Which hosts' settings name the server, for the project at `roots` (its root and its git top) and for the user. Only reads;
 * says nothing of other servers, and shows no arguments, since secrets stand there.
 */
export async function hosts(roots: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const present = new Map<string, Settings>();
  const registered = new Set<string>();
  for (const settings of settingsOf([...new Set(roots)])) {
    const read = await readBounded(settings.path, MOST_BYTES);
    if (read === undefined) continue;
    if (!present.has(settings.host)) present.set(settings.host, settings);
    const servers = 'text' in read ? serversIn(read.text, settings) : read.problem;
    if (typeof servers === 'string') {
      findings.push(
        warn(
          `host: ${settings.host}`,
          `${settings.path} ${servers}.`,
          `Correct ${settings.path}, so that the host can read it.`,
        ),
      );
      continue;
    }
    for (const server of servers.filter(isOurs)) {
      registered.add(settings.host);
      findings.push(await registration(server, settings));
    }
  }
  for (const [host, { path, line }] of present) {
    if (registered.has(host) || findings.some(({ check }) => check === `host: ${host}`)) continue;
    findings.push(
      warn(`host: ${host}`, `${host} does not name this server in ${path}.`, `Add to ${path}: ${line}`),
    );
  }
  if (findings.length > 0) return findings;
  return [
    {
      ...fine('hosts', 'No host’s settings name this server. The VS Code extension needs none.'),
      remedy: `For Claude Code: claude mcp add discern -- discern mcp. For others, in their MCP settings: ${jsonLine('mcpServers')}`,
    },
  ];
}

async function registration(
  { name, words }: Registered,
  { host, path, line, needsRoot, client }: Settings,
): Promise<Finding> {
  const what = `${host} names this server as "${name}" in ${path}`;
  const stale = await staleness(words, DISCERN_VERSION);
  if (stale !== undefined) {
    const remedy =
      client && name === 'discern'
        ? `Run "discern setup ${client}" again.`
        : `Correct ${path}, or remove it there.`;
    return warn(`host: ${host}`, `${what}: it starts ${stale}.`, remedy);
  }
  const rooted = words.some((word) => /^--(?:root|project)(?:=|$)/.test(word));
  if (!needsRoot || rooted) return fine(`host: ${host}`, `${what}.`);
  return warn(
    `host: ${host}`,
    `${what}, but without --root: VS Code starts servers in the home directory, so it finds no project.`,
    `In ${path}: ${line}; or leave it to the extension, which needs no such entry.`,
  );
}

const isOurs = ({ name, words }: Registered) =>
  /^discern(?:-vscode)?$/i.test(name) ||
  words.some((word, index) => /(?:^|[\\/])discern(?:\.\w+)?$/.test(word) && words[index + 1] === 'mcp');

/** The servers a settings file names, or what is wrong with the file, in words that follow its path. */
function serversIn(text: string, { tables, format }: Settings): Registered[] | string {
  if (format === 'toml') {
    const tree = parseTree(text);
    if (!('root' in tree)) return `cannot be read (line ${tree.at.line}: ${tree.message})`;
    return tables.flatMap((path) =>
      namesAt(tree.root, ...path).map((name) => ({
        name,
        words: [
          textAt(tree.root, ...path, name, 'command') ?? '',
          ...stringsAt(tree.root, ...path, name, 'args'),
        ],
      })),
    );
  }
  const value = text.trim() === '' ? {} : parseJsonc(text);
  if (!membersOf(value)) return 'is not a valid JSON object';
  return tables.flatMap((path) => {
    const table = path.reduce((found, step) => member(found, step), value);
    return Object.entries(membersOf(table) ?? {}).map(([name, server]) => {
      const args = member(server, 'args');
      const words = [member(server, 'command'), ...(Array.isArray(args) ? args : [])];
      return { name, words: words.filter((word): word is string => typeof word === 'string') };
    });
  });
}
