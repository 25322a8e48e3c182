import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';

/** What a quote of each kind may hold on one line, and over several. */
const quotes = [
  ['"', String.raw`(?:\\.|[^"\\\r\n])*`, String.raw`(?:\\[\s\S]|[^"\\])*`],
  ["'", String.raw`[^'\r\n]*`, "[^']*"],
  ['`', String.raw`[^\`\r\n]*`, '[^`]*'],
] as const;

const onOneLine = quotes.map(([quote, inside]) => `${quote}${inside}${quote}`);
/** Behind a value over several lines stands nothing but a comment: else its first quote was never closed. */
const overSeveral = quotes.map(
  ([quote, , inside]) => String.raw`${quote}${inside}${quote}(?=[ \t]*(?:#[^\r\n]*)?$)`,
);

/**
 * One definition as dotenv files write them: `export` and indentation allowed, a quoted value over several lines too. What
 * stands inside such a value is no definition. A quote that is not closed is a part of its line, and of no other. A byte
 * order mark may come before the first.
 */
const definition = new RegExp(
  String.raw`(?<=^(?:\xef\xbb\xbf)?)([ \t]*(?:export[ \t]+)?)([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(${[...onOneLine, ...overSeveral].join('|')})?([^\r\n]*)`,
  'gm',
);

interface Definition {
  name: string;
  /** As it stands, without what ends the line. */
  text: string;
  /** What stands before the name. */
  lead: string;
  /** Without quotes and comment. */
  value: string;
  from: number;
  file: string;
}

/** The env files of one checkout's project, the first that a name is newly written to. */
export interface EnvFiles {
  root: string;
  files: readonly string[];
  /** Which of the files git tracks there: nothing of ours is written into these, since it would land. */
  tracked?: () => Promise<ReadonlySet<string>>;
}

/**
 * A file's bytes, one character each, so that whatever encoding it has is copied as it is; `undefined` when there is none.
 * Refuses `config_error` what is no readable file: it might hold the definition that counts.
 */
async function readText(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) throw Object.assign(new Error('no file'), { code: 'it is not a file' });
    return await readFile(path, 'latin1');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refusal(
      'config_error',
      `${path} of [worktree].env_files cannot be read (${code ?? String(error)}): make it a readable file, or take it off the list.`,
    );
  }
}

function definitionsIn(text: string, file: string): Definition[] {
  return [...text.matchAll(definition)].map((match) => {
    const [whole, lead = '', name = '', quoted, rest = ''] = match;
    const value = quoted === undefined ? rest.replace(/(^|[ \t])#.*/, '').trim() : quoted.slice(1, -1);
    return { name, text: whole, lead, value, from: match.index, file };
  });
}

/** What counts of each name: the last definition of the last listed file that has one (the dotenv override rule). */
async function winners({ root, files }: EnvFiles): Promise<Map<string, Definition>> {
  const found = new Map<string, Definition>();
  for (const file of files) {
    const text = await readText(join(root, file));
    for (const one of definitionsIn(text ?? '', file)) found.set(one.name, one);
  }
  return found;
}

export interface EnvChange {
  /** Files that were written, as they are listed. */
  written: string[];
  /** What a person should know, in sentences. */
  hints: string[];
}

/**
 * Copies the variables `names` from the home checkout's env files into the worktree's, as they stand, quotes and all. A
 * worktree's own value is left alone unless it is empty or the default of `<first env file>.example`. The first env file
 * is made where there is none.
 */
export async function inheritEnv(
  home: EnvFiles,
  worktree: EnvFiles,
  names: readonly string[],
): Promise<EnvChange> {
  const [first] = worktree.files;
  if (names.length === 0 || first === undefined) return { written: [], hints: [] };
  const theirs = await winners(home);
  const ours = await winners(worktree);
  const defaults = await winners({ root: worktree.root, files: [`${first}.example`] });
  const wanted = new Map<string, string>();
  const hints: string[] = [];
  for (const name of names) {
    const [source, own] = [theirs.get(name), ours.get(name)];
    if (!source || source.value === '') {
      const lack = source ? `is empty in ${source.file}` : `is in none of ${home.files.join(', ')}`;
      hints.push(`${name} of [worktree].inherit_env ${lack} of ${home.root}.`);
    } else if (!own || own.value === '' || own.value === defaults.get(name)?.value) {
      if (own?.value !== source.value) wanted.set(name, source.text);
    }
  }
  const change = await define(worktree, wanted, { create: true });
  return { written: change.written, hints: [...hints, ...change.hints] };
}

/**
 * Writes variables into env files that are there, in place of what they say of them; makes no file, since a setup step may
 * want to make it from a template.
 */
export function recordEnv(worktree: EnvFiles, variables: Record<string, string>): Promise<EnvChange> {
  const lines = Object.entries(variables).map(([name, value]) => [name, `${name}=${value}`] as const);
  return define(worktree, new Map(lines), { create: false });
}

/** Puts each definition where its name counts now, else at the end of the first file that is there. */
async function define(
  place: EnvFiles,
  wanted: ReadonlyMap<string, string>,
  { create }: { create: boolean },
): Promise<EnvChange> {
  const change: EnvChange = { written: [], hints: [] };
  if (wanted.size === 0) return change;
  const present = await winners(place);
  const fallback = (await firstThere(place)) ?? (create ? place.files[0] : undefined);
  const tracked = (await place.tracked?.()) ?? new Set<string>();
  const perFile = new Map<string, [string, string][]>();
  for (const [name, text] of wanted) {
    const meant = present.get(name)?.file ?? fallback;
    const file = meant === undefined ? undefined : await untracked(place, meant, tracked, create);
    if (meant !== undefined && file === undefined) {
      change.hints.push(
        `${name} was not written: git tracks ${meant}, so its value would land with the work. List a file that git ignores after it in [worktree].env_files.`,
      );
    }
    if (file !== undefined) perFile.set(file, [...(perFile.get(file) ?? []), [name, text]]);
  }
  for (const [file, definitions] of perFile) {
    const path = join(place.root, file);
    const before = await readText(path);
    let text = before ?? '';
    for (const [name, line] of definitions) text = upsert(text, name, line);
    if (text === before) continue;
    const link = await linkOn(place.root, file);
    if (link !== undefined) {
      const names = definitions.map(([name]) => name).join(', ');
      change.hints.push(
        `${names} was not written: ${link} is a symbolic link, and what it leads to is not the worktree's.`,
      );
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    await replace(path, text);
    change.written.push(file);
  }
  return change;
}

/**
 * The file a value that counts in `meant` is written to: itself, or where git tracks it the next one listed that it does not
 * track, which overrules it. One that is not there is made only with `create`.
 */
async function untracked(
  place: EnvFiles,
  meant: string,
  tracked: ReadonlySet<string>,
  create: boolean,
): Promise<string | undefined> {
  for (const file of place.files.slice(place.files.indexOf(meant))) {
    if (tracked.has(file)) continue;
    if (file === meant || create || (await readText(join(place.root, file))) !== undefined) return file;
  }
  return undefined;
}

/** Puts a file's new text in place as a file of its own: another name of the old one, such as a hard link, keeps the old. */
async function replace(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode & 0o7777,
    () => 0o600,
  );
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { encoding: 'latin1', mode: 0o600, flag: 'wx' });
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The text with `line` in place of the name's last definition, or at its end; line ends stay as the file has them. */
function upsert(text: string, name: string, line: string): string {
  const present = definitionsIn(text, '').findLast((one) => one.name === name);
  if (present) {
    const kept = /^[ \t]*export[ \t]/.test(line) ? line : `${present.lead}${line.trimStart()}`;
    return `${text.slice(0, present.from)}${kept}${text.slice(present.from + present.text.length)}`;
  }
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const ended = text === '' || text.endsWith('\n');
  return `${text}${ended ? '' : end}${line}${end}`;
}

/** True where one of the files is there. */
export const hasEnvFile = async (place: EnvFiles): Promise<boolean> =>
  (await firstThere(place)) !== undefined;

async function firstThere({ root, files }: EnvFiles): Promise<string | undefined> {
  for (const file of files) if ((await readText(join(root, file))) !== undefined) return file;
  return undefined;
}

/** The first symbolic link on the way from a root to a file below it: writing through one may change another checkout. */
async function linkOn(root: string, file: string): Promise<string | undefined> {
  let at = root;
  for (const part of file.split('/').filter((one) => one !== '' && one !== '.')) {
    at = join(at, part);
    const found = await lstat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (!found) return undefined;
    if (found.isSymbolicLink()) return at;
  }
  return undefined;
}
