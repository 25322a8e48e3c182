import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { type Members, member, membersOf, type ProjectFiles, strings } from '../project-files.ts';

/** A package of a workspace. */
export interface WorkspaceMember {
  /** Its directory, relative to the workspace. */
  path: string;
  /** Its scripts by name. */
  scripts: ReadonlyMap<string, string>;
}

/** So many directories are looked at for members, and so deep. */
const MOST = 5_000;
const DEEPEST = 5;

/**
 * The members of a workspace of npm, pnpm, yarn or bun: the packages that `workspaces` in package.json or `packages` in
 * pnpm-workspace.yaml name. Empty where there is no workspace.
 */
export async function membersIn(files: ProjectFiles, manifest: Members): Promise<WorkspaceMember[]> {
  const patterns = [...namedIn(manifest), ...packagesOf((await files.text('pnpm-workspace.yaml')) ?? '')];
  if (patterns.length === 0) return [];
  const plain = patterns
    .map((pattern) => pattern.replace(/^(!?)\.\//, '$1').replace(/\/+$/, ''))
    .filter((pattern) => pattern.length > 1 || /\w/.test(pattern))
    .filter((pattern) => pattern.length < 1_000);
  const wanted = picomatch(plain.filter((pattern) => !pattern.startsWith('!')));
  const not = picomatch(plain.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])));
  const members: WorkspaceMember[] = [];
  for (const path of await directoriesIn(files.root)) {
    if (!wanted(path) || not(path)) continue;
    const below = await files.below(path);
    const inner = below?.has('package.json') ? await below.json('package.json') : undefined;
    if (inner) members.push({ path, scripts: strings(member(inner, 'scripts')) });
  }
  return members;
}

/** Every directory below that may be a member; those named by a dot and node_modules are none. */
async function directoriesIn(root: string): Promise<string[]> {
  const found: string[] = [];
  let level = [''];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const dir of level) {
      for (const entry of await readdir(join(root, dir), { withFileTypes: true }).catch(() => [])) {
        if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
        if (found.length + next.length >= MOST) return [...found, ...next].sort();
        next.push(dir === '' ? entry.name : `${dir}/${entry.name}`);
      }
    }
    found.push(...next);
    level = next;
  }
  return found.sort();
}

function namedIn(manifest: Members): string[] {
  const value = member(manifest, 'workspaces');
  const list = membersOf(value) ? member(value, 'packages') : value;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** The list under `packages` (pnpm.io, "pnpm-workspace.yaml"): one pattern a line, or all in brackets. */
export function packagesOf(text: string): string[] {
  const [, inline] = /^packages:\s*\[([^\]]*)\]/m.exec(text) ?? [];
  if (inline !== undefined) return inline.split(',').map(unquoted).filter(Boolean);
  const lines = text.split(/\r?\n/);
  const from = lines.findIndex((line) => /^packages:\s*(?:#.*)?$/.test(line));
  const found: string[] = [];
  for (const line of from === -1 ? [] : lines.slice(from + 1)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, value] = /^\s*-\s+(.*)$/.exec(line) ?? [];
    if (value === undefined) break;
    found.push(unquoted(value));
  }
  return found.filter(Boolean);
}

function unquoted(value: string): string {
  const text = value.trim();
  const [, , inner] = /^(['"])(.*?)\1/.exec(text) ?? [];
  return inner ?? text.replace(/\s+#.*$/, '');
}
