import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../contract/inside.ts';
import { type CheckoutPlace, checkoutOf } from '../engine/callers/checkout-of.ts';
import { exists } from '../engine/files/files.ts';
import { isDirectory } from './directory.ts';

/** Tools that write files, by the names clients give them, each with the arguments that name one. */
const writers: Readonly<Record<string, readonly string[]>> = {
  // Claude Code
  Edit: ['file_path'],
  Write: ['file_path', 'path'],
  MultiEdit: ['file_path'],
  NotebookEdit: ['notebook_path', 'file_path'],
  // Copilot CLI, opencode
  create: ['path'],
  edit: ['path', 'filePath'],
  write: ['filePath'],
  // Cursor
  StrReplace: ['path', 'file_path'],
  Delete: ['path', 'file_path'],
  EditNotebook: ['target_notebook', 'path'],
  // Gemini CLI
  write_file: ['file_path'],
  replace: ['file_path'],
  // VS Code
  create_file: ['filePath'],
  replace_string_in_file: ['filePath'],
  insert_edit_into_file: ['filePath'],
  edit_notebook_file: ['filePath'],
};

/** Tools that run a command in a shell, and the argument that says where. */
const shells: Readonly<Record<string, string | undefined>> = {
  Bash: 'workdir',
  bash: 'workdir',
  Shell: 'working_directory',
  exec_command: 'workdir',
  run_shell_command: 'dir_path',
  run_in_terminal: undefined,
};

/** What a tool call would write. */
export interface Written {
  /** Absolute. */
  path: string;
  /** A shell command names it, which may well write more. */
  byShell: boolean;
}

/** The files a tool call would certainly write; none for a tool nobody knows. */
export async function writtenBy(
  tool: string,
  input: Record<string, unknown>,
  cwd: string,
): Promise<Written[]> {
  const at = (file: unknown) =>
    typeof file === 'string' && file !== '' && !file.includes('\0')
      ? [{ path: resolve(cwd, file), byShell: false }]
      : [];
  if (Object.hasOwn(writers, tool)) {
    for (const name of writers[tool] ?? []) {
      const found = at(input[name]);
      if (found.length > 0) return found;
    }
    return [];
  }
  if (tool === 'apply_patch') return patched(input).flatMap(at);
  return Object.hasOwn(shells, tool) ? byShell(input, shells[tool], cwd) : [];
}

/** The files a patch in the form of `apply_patch` names. */
function patched(input: Record<string, unknown>): string[] {
  const text =
    [input.input, input.patch, input.patchText, input.command].find((one) => typeof one === 'string') ?? '';
  const lines = String(text).matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$/gm);
  return [...lines].map(([, file = '']) => file);
}

async function byShell(
  { command, cmd, ...input }: Record<string, unknown>,
  where: string | undefined,
  cwd: string,
): Promise<Written[]> {
  const text = command ?? cmd;
  if (typeof text !== 'string') return [];
  const named = where === undefined ? undefined : input[where];
  const { shellWrites } = await import('./shell-writes.ts');
  const found: Written[] = [];
  for (const { path, entered } of shellWrites(text, typeof named === 'string' ? resolve(cwd, named) : cwd)) {
    const there = await Promise.all(entered.map(isDirectory));
    if (there.every((one) => one)) found.push({ path, byShell: true });
  }
  return found;
}

export interface Trespass {
  /** The checkout the file lies in. */
  other: CheckoutPlace;
  /** The same file in the session's own checkout. */
  instead: string;
}

/**
 * Whether writing `file` would write into another checkout of the repository than `own`, the one the session stands in. Only a
 * linked checkout is guarded: in the main one an agent may well name a worktree's files. Says yes only when it is certain,
 * so not for a file that is reached through a link, lies in git's own directory, or is in no checkout.
 */
export async function trespass(own: CheckoutPlace, file: string): Promise<Trespass | undefined> {
  if (!own.linked) return undefined;
  const [real, named] = await Promise.all([realPlace(file), checkoutNamed(file)]);
  if (real === undefined || named === undefined) return undefined;
  const other = await checkoutOf(real.nearest);
  if (!other || other.top === own.top || other.commonDir !== own.commonDir) return undefined;
  if (named !== other.top || isInside(real.path, own.commonDir)) return undefined;
  return { other, instead: join(own.top, relative(other.top, real.path)) };
}

/** Where a file lies or would lie, free of symlinks, and the nearest of it that exists. */
async function realPlace(file: string): Promise<{ path: string; nearest: string } | undefined> {
  for (let at = file; ; at = dirname(at)) {
    try {
      const nearest = await realpath(at);
      return { path: join(nearest, relative(at, file)), nearest };
    } catch {
      // A name that is there and leads nowhere is a broken link: nobody knows where that writes.
      if (await lstat(at).catch(() => undefined)) return undefined;
      if (dirname(at) === at) return undefined;
    }
  }
}

/** The top of the checkout a path names by its own words, free of symlinks. */
async function checkoutNamed(file: string): Promise<string | undefined> {
  for (let at = file; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return realpath(at).catch(() => undefined);
    if (dirname(at) === at) return undefined;
  }
}
