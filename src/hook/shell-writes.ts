import { resolve } from 'node:path';
import { commandsIn, type SimpleCommand, type Word } from './shell-words.ts';

/** A path that a command plainly writes, makes, moves or deletes. */
export interface ShellWrite {
  /** Absolute. */
  path: string;
  /** Directories the command enters on the way, which have to be there for it to be so. */
  entered: readonly string[];
}

/**
 * The paths a shell command writes, as far as that is certain from its words: redirections, the usual programs that write the files
 * they are named, and git where it changes a checkout. What it only reads, and what only the shell or a program knows, is not among
 * them.
 */
export function shellWrites(text: string, cwd: string): ShellWrite[] {
  const commands = commandsIn(text);
  if (!commands) return [];
  const found: ShellWrite[] = [];
  let at: string | undefined = cwd;
  const entered: string[] = [];
  for (const [index, command] of commands.entries()) {
    const place = at;
    for (const target of place === undefined ? absolute(command) : targetsOf(command, place)) {
      found.push({ path: target, entered: [...entered] });
    }
    const moved = movedTo(command, at);
    if (moved === 'stays') continue;
    // In a pipe or in the background it moves nobody else.
    const alone = command.behind !== '|' && command.behind !== '&' && commands[index - 1]?.behind !== '|';
    if (!alone) continue;
    // What follows `||` runs where the move failed.
    at = command.behind === '||' || commands[index - 1]?.behind === '||' ? undefined : moved;
    if (at !== undefined) entered.push(at);
  }
  return found;
}

/** Where a command goes; `undefined` where nobody knows, `stays` where it goes nowhere. */
function movedTo({ words }: SimpleCommand, at: string | undefined): string | undefined | 'stays' {
  const [name, ...rest] = words;
  if (name === undefined) return undefined;
  if (name === 'popd') return undefined;
  if (name !== 'cd' && name !== 'pushd') return 'stays';
  const [to, ...more] = rest[0] === '--' || rest[0] === '-P' || rest[0] === '-L' ? rest.slice(1) : rest;
  if (to === undefined || more.length > 0 || to === '' || to.startsWith('-') || to.startsWith('+'))
    return undefined;
  if (to.startsWith('/')) return to;
  return at === undefined ? undefined : resolve(at, to);
}

/** Only what is named from the root on, where the directory is not known. */
const absolute = (command: SimpleCommand): string[] => {
  const nowhere = '/dev/null/unknown';
  return targetsOf(command, nowhere).filter((path) => !path.startsWith('/dev/null/'));
};

function targetsOf({ words, redirections }: SimpleCommand, cwd: string): string[] {
  const into = redirections
    .filter(({ operator }) => ['>', '>>', '>|', '<>'].includes(operator))
    .map(({ target }) => target);
  const argv = withoutPrefixes(words);
  const [name, ...rest] = argv;
  const program = name?.slice(name.lastIndexOf('/') + 1);
  const named =
    program !== undefined && Object.hasOwn(programs, program) ? (programs[program]?.(rest) ?? []) : [];
  const paths = [...into, ...named].filter((one): one is string => one !== undefined && one !== '');
  const tree = program === 'git' ? gitTree(rest, cwd) : undefined;
  return [...paths.map((path) => resolve(cwd, path)), ...(tree === undefined ? [] : [tree])].filter(
    (path) => !path.startsWith('/dev/') || path.startsWith('/dev/null/'),
  );
}

/** Leaves assignments and programs that only start another one out. */
function withoutPrefixes(words: readonly Word[]): Word[] {
  let rest = [...words];
  while (rest[0] !== undefined && /^[A-Za-z_]\w*=/.test(rest[0])) rest = rest.slice(1);
  if (rest[0] === 'sudo' || rest[0] === 'command' || rest[0] === 'nohup') {
    return rest[1]?.startsWith('-') ? [] : withoutPrefixes(rest.slice(1));
  }
  return rest;
}

type Reader = (args: readonly Word[]) => Word[];

/** Arguments that are no options, `undefined` where an option is none of these: then nobody knows which argument is what. */
function plainArguments(
  args: readonly Word[],
  { flags, valued = [] }: { flags: RegExp; valued?: readonly string[] },
): Word[] | undefined {
  const found: Word[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    if (arg === '--') return [...found, ...args.slice(index + 1)];
    if (arg === undefined || !arg.startsWith('-') || arg === '-') found.push(arg);
    else if (valued.includes(arg)) index++;
    else if (!flags.test(arg)) return undefined;
  }
  return found;
}

/** Every argument is written. */
const all =
  (flags: RegExp, valued?: readonly string[]): Reader =>
  (args) =>
    plainArguments(args, { flags, ...(valued && { valued }) }) ?? [];

/** The last argument is written, and with `sources` the others too, which are moved away. */
const last =
  (flags: RegExp, sources = false): Reader =>
  (args) => {
    const found = plainArguments(args, { flags }) ?? [];
    return found.length < 2 ? [] : sources ? found : found.slice(-1);
  };

const programs: Readonly<Record<string, Reader>> = {
  rm: all(/^-[rRfivdI]+$|^--(?:recursive|force|verbose|dir)$/),
  rmdir: all(/^-[pv]+$/),
  unlink: all(/^$/),
  touch: all(/^-[acm]+$/, ['-d', '-t', '-r']),
  mkdir: all(/^-[pv]+$|^--parents$/, ['-m']),
  truncate: all(/^-c$|^--size=/, ['-s', '-r']),
  tee: all(/^-[aip]+$|^--append$/),
  cp: last(/^-[aRrfpnuvdxHLPi]+$|^--(?:recursive|force|archive)$/),
  mv: last(/^-[fnuvi]+$|^--force$/, true),
  ln: last(/^-[sfnvr]+$/),
  sed: inPlace(/^(?:-i|--in-place)/, /^-[nErsuz]*i/),
  perl: inPlace(/^-[pnlw0]*i/, /^-[pnlw0]*i/),
};

/** Editors of streams, where they edit files in place: what is behind the script. */
function inPlace(starts: RegExp, clustered: RegExp): Reader {
  return (args) => {
    const edits = args.some((arg) => arg !== undefined && (starts.test(arg) || clustered.test(arg)));
    if (!edits) return [];
    let script = false;
    const files: Word[] = [];
    for (let index = 0; index < args.length; index++) {
      const arg = args[index];
      if (arg !== undefined && /^-[A-Za-z]*e$/.test(arg)) {
        script = true;
        index++;
      } else if (arg !== undefined && /^(?:-f|--file)/.test(arg)) return [];
      else if (arg?.startsWith('--expression=')) script = true;
      else if (arg?.startsWith('-') || arg === '') continue;
      else if (!script) script = true;
      else files.push(arg);
    }
    return files;
  };
}

/** git's verbs that change the files, the index or the branch of the checkout they run in. */
const changing = new Set([
  ...['add', 'am', 'apply', 'checkout', 'cherry-pick', 'clean', 'commit', 'merge', 'mv', 'pull', 'rebase'],
  ...['reset', 'restore', 'revert', 'rm', 'stash', 'switch'],
]);

/** Options with which they only look or only tell. */
const looks = /^(?:-h|-n|--help|--dry-run|--check|--stat|--numstat|--summary|--show-current-patch)$/;

/** The directory whose checkout a git changes; nothing for one that only looks, or that is aimed by other means than `-C`. */
function gitTree(args: readonly Word[], cwd: string): string | undefined {
  let at = cwd;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    if (arg === undefined) return undefined;
    if (arg === '-C') {
      const to = args[++index];
      if (to === undefined) return undefined;
      at = resolve(at, to);
    } else if (arg === '-c') index++;
    else if (arg === '--no-pager' || arg === '-P') continue;
    else if (arg.startsWith('-')) return undefined;
    else {
      const rest = args.slice(index + 1);
      if (!changing.has(arg) || rest.some((one) => one !== undefined && looks.test(one))) return undefined;
      if (arg === 'stash' && (rest[0] === 'list' || rest[0] === 'show')) return undefined;
      return at;
    }
  }
  return undefined;
}
