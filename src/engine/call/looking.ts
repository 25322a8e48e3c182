import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Looking runs nothing of the repository's (contract §8, §9). A repository's own config names programs that git starts by itself:
 * to compare a file, to fetch an object that is missing, when an index was written. This is the one list of them, and the
 * one place where they are switched off, for servers that may only look and in workspaces nobody trusts.
 *
 * Not on the list, since no command of ours comes by them: pagers (our output is no terminal), editors, credential helpers
 * (no transport is allowed), what checks signatures (git shows none, and note/sign.ts takes the user's own program), external diffs and textconv (switched off by flags where we diff). A submodule has
 * a config of its own; git/core.ts lets none be looked into. trace2.* counts in the user's own config alone.
 */

/** Settings with a name of their own that are safe to set always: [key, value]. */
const fixed: readonly (readonly [string, string])[] = [
  // A repository that lies in a plain clone as ordinary files is none: it would bring a config of its own.
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.askPass', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['core.pager', 'cat'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['gpg.program', 'false'],
  ['log.showSignature', 'false'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
];

/** Settings that name a program under a name the repository chooses, and what switches each off. */
const named: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  filter: [
    ['clean', ''],
    ['smudge', ''],
    ['process', ''],
    ['required', 'false'],
  ],
  merge: [['driver', 'false']],
  // Hooks that a config names, of git 2.54 and later; core.hooksPath is not asked for them.
  hook: [['enabled', 'false']],
};

/** Which settings have to be asked for, as git-config(1) takes it. */
export const namedPattern = '^(filter|merge|hook)\\..*\\.(clean|smudge|process|driver|command)$';

/** Variables that keep git from fetching what a partial clone lacks: by its own switch (git 2.45), and by allowing no transport. */
const fetchNothing = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** Variables of the user's that name a program or a file to write, which a relative path would look for in the repository. */
const mayPointInside =
  /^GIT_(?:EXEC_PATH|TRACE.*|SSH|SSH_COMMAND|PROXY_COMMAND|EXTERNAL_DIFF|PAGER|ASKPASS|SEQUENCE_EDITOR)$/;

interface Looking {
  /** What each directory's repository names, asked once while one call looks. */
  asked: Map<string, Promise<readonly string[]>>;
}

const current = new AsyncLocalStorage<Looking | undefined>();

/** Runs `act`, and whatever it awaits, so that git starts nothing the repository names when `only` is true. */
export function looking<T>(only: boolean, act: () => T): T {
  return current.run(only ? { asked: new Map() } : undefined, act);
}

/** Runs `act` as one who only looks, whoever calls; inside of {@link looking} what was asked there stays known. */
export const alsoLooking = <T>(act: () => T): T => (isLooking() ? act() : looking(true, act));

/** True inside of {@link looking}. */
export const isLooking = (): boolean => current.getStore() !== undefined;

/** The keys of programs that the repository of `cwd` names, by `ask`, which reads its config and is asked once for each. */
export function programsNamed(
  cwd: string,
  ask: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { asked } = current.getStore() ?? { asked: new Map<string, Promise<readonly string[]>>() };
  const known = asked.get(cwd) ?? ask();
  asked.set(cwd, known);
  return known;
}

/** The environment in which git only looks, less what the user's own would bring in, with `keys` switched off too. */
export function lookingEnv(env: NodeJS.ProcessEnv, keys: readonly string[]): NodeJS.ProcessEnv {
  const clean: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(env)) if (!mayPointInside.test(name)) clean[name] = value;
  const settings = [...fixed];
  const seen = new Set<string>();
  for (const key of keys) {
    const [section = ''] = key.split('.', 1);
    const name = key.slice(0, key.lastIndexOf('.'));
    if (seen.has(name)) continue;
    seen.add(name);
    for (const [last, value] of named[section.toLowerCase()] ?? []) settings.push([`${name}.${last}`, value]);
  }
  clean.GIT_CONFIG_COUNT = String(settings.length);
  for (const [n, [key, value]] of settings.entries()) {
    clean[`GIT_CONFIG_KEY_${n}`] = key;
    clean[`GIT_CONFIG_VALUE_${n}`] = value;
  }
  return { ...clean, ...fetchNothing };
}

/** A command as it is run while looking: git would run another git, with a config of its own, in each submodule it looks into. */
export const lookingArgs = (args: readonly string[]): string[] => [
  ...['-c', 'diff.ignoreSubmodules=dirty'],
  ...args.map((arg) => (arg === '--ignore-submodules=none' ? '--ignore-submodules=dirty' : arg)),
];

/** The name of a filter in the key of one of its settings. */
export const filterName = (key: string): string | undefined => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1];
