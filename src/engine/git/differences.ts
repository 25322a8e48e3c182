import { setImmediate as turn } from 'node:timers/promises';
import { isLooking } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import type { NamedEntry } from './compare.ts';
import { Contents, type Found } from './contents.ts';
import { attributeFiles, type Conversions, notAsConverted, readConversions } from './conversions.ts';
import { pathText } from './core.ts';
import {
  type Checkout,
  entriesOf,
  isGitlink,
  loadOwnIndex,
  type OwnEntry,
  type OwnIndex,
  pathOf,
  Writing,
} from './own-index.ts';
import { abilitiesOf } from './truth.ts';

/** How many files are looked at before others get their turn. */
const AT_ONCE = 1_000;

/**
 * How much older than the look a file's last change has to be, in nanoseconds, for a later one to carry another stamp: more than
 * a tick of the kernel's clock, or than the two seconds of a file system that keeps no parts of one.
 */
const TICK = 20_000_000n;
const WHOLE = 1_000_000_000n;
const COARSE = 2n * WHOLE;

export type Difference = 'absent' | 'changed';

/** Whether a path need not be compared. */
type Skip = (path: string) => boolean;

/**
 * The files of `commit` that are not in a checkout as the commit has them: by content, whatever an index, a flag, a sparse
 * pattern or a setting says. A file is the commit's when it has its very bytes, or those a checkout of the commit writes here.
 * Submodules are not looked into.
 *
 * What was equal is remembered by its stamps in an index of ours, so that a second look only asks for stamps. `skip` are paths
 * known to differ; where that is still being asked, stamps are looked at meanwhile. With `known`, a checkout that no index is kept of is not looked at: `undefined`.
 */
export async function differences(
  checkout: Checkout,
  commit: string,
  options: { skip?: Skip | Promise<Skip>; known?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<Map<string, Difference> | undefined> {
  const { skip = () => false, signal } = options;
  const before = await loadOwnIndex(checkout);
  if (!before && options.known) return undefined;
  const entries =
    before?.commit === commit ? before.entries : await entriesOf(checkout, commit, before?.entries, signal);
  const look = new Look(checkout, await contentsOf(checkout), before, entries);
  try {
    const found = await look.at(entries, skip, signal);
    await look.remember(commit);
    return found;
  } finally {
    await look.close();
  }
}

/** {@link differences}, of some files of a commit, without an index of ours: each is read. */
export async function differingAmong(
  checkout: Checkout,
  commit: string,
  some: readonly NamedEntry[],
): Promise<Map<string, Difference>> {
  const entries = some.map(({ path, mode, id }) => ({
    key: path.toString('latin1'),
    mode,
    id,
    stamp: '',
    converted: false,
  }));
  const contents = await contentsOf(checkout);
  const found = new Map<string, Difference>();
  const unlike: OwnEntry[] = [];
  for (const entry of entries) {
    if (isGitlink(entry)) continue;
    const { state } = await contents.read(entry);
    if (state === 'unlike') unlike.push(entry);
    else if (state !== 'same') found.set(entry.key, state);
  }
  if (unlike.length > 0) {
    const attributes = attributeFiles(await entriesOf(checkout, commit));
    const { none } = await readConversions(checkout, attributes);
    const differing = none
      ? unlike.map(({ key }) => key)
      : await notAsConverted(checkout, attributes, unlike);
    for (const key of differing) found.set(key, 'changed');
  }
  return found;
}

/** The submodules of a commit. */
export async function gitlinksOf(
  checkout: Checkout,
  commit: string,
): Promise<{ path: string; id: string }[]> {
  const index = await loadOwnIndex(checkout);
  const entries = index?.commit === commit ? index.entries : await entriesOf(checkout, commit);
  return entries.filter(isGitlink).map(({ key, id }) => ({ path: textOf(key), id }));
}

/** True when every file of the commit has the stamps with which it was last found to be the commit's; reads no file. */
export async function isAsRemembered(checkout: Checkout, index: OwnIndex): Promise<boolean> {
  const contents = await contentsOf(checkout);
  return index.entries.every(
    ({ key, stamp, converted }) => !converted && stamp !== '' && contents.look(key)?.stamp === stamp,
  );
}

async function contentsOf({ top }: Checkout): Promise<Contents> {
  const windows = process.platform === 'win32';
  return new Contents(
    top,
    (await abilitiesOf(top)) ?? { modes: !windows, symlinks: !windows, cases: !windows },
  );
}

/** A key as text; the same where it is plain ASCII. */
export const textOf = (key: string): string =>
  /^[\x20\x21\x23-\x7e][\x20-\x7e]*$/.test(key) ? key : pathText(pathOf(key));

/** Gives others their turn. Refuses `cancelled`. */
async function next(signal: AbortSignal | undefined): Promise<void> {
  await turn();
  if (signal?.aborted) throw new Refusal('cancelled', 'The call was cancelled.');
}

/** One look at a checkout. */
class Look {
  readonly #checkout: Checkout;
  readonly #contents: Contents;
  readonly #before: OwnIndex | undefined;
  readonly #entries: OwnEntry[];
  #conversions: Conversions | undefined;
  #writing: Writing | undefined;
  #changed = false;

  constructor(checkout: Checkout, contents: Contents, before: OwnIndex | undefined, entries: OwnEntry[]) {
    this.#checkout = checkout;
    this.#contents = contents;
    this.#before = before;
    this.#entries = entries;
  }

  async at(
    entries: OwnEntry[],
    skip: Skip | Promise<Skip>,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, Difference>> {
    await this.#forgetConverted();
    const differing = new Map<string, Difference>();
    const unlike: { entry: OwnEntry; found: Found }[] = [];
    const stamped: OwnEntry[] = [];
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const some = entries.slice(from, from + AT_ONCE).filter((entry) => !isGitlink(entry));
      stamped.push(...some.filter(({ key, stamp }) => this.#contents.look(key)?.stamp !== stamp));
      await next(signal);
    }
    const isSkipped = await skip;
    let looked = 0;
    for (const entry of stamped) {
      if (++looked % AT_ONCE === 0) await next(signal);
      if (isSkipped(textOf(entry.key))) continue;
      await this.#begin();
      const found = await this.#contents.read(entry, signal);
      if (found.state === 'same') this.#note(entry, found, false);
      else if (found.state === 'unlike') unlike.push({ entry, found });
      else differing.set(entry.key, found.state);
    }
    for (const { entry, found } of unlike) {
      const differs = (await this.#unconverted(unlike, signal)).has(entry.key);
      if (differs) differing.set(entry.key, 'changed');
      else this.#note(entry, found, true);
    }
    return differing;
  }

  /** What was equal by conversion alone is read again where what converts has changed. */
  async #forgetConverted(): Promise<void> {
    const converted = this.#entries.filter((entry) => entry.converted);
    // While only looking, filters are off and tell nothing; what was found before stands.
    if (converted.length === 0 || isLooking()) return;
    const { digest } = await this.#converting();
    if (digest === this.#before?.conversions) return;
    for (const entry of converted) entry.stamp = '';
  }

  async #converting(): Promise<Conversions> {
    this.#conversions ??= await readConversions(this.#checkout, attributeFiles(this.#entries));
    return this.#conversions;
  }

  #differing: Promise<Set<string>> | undefined;

  #unconverted(unlike: readonly { entry: OwnEntry }[], signal?: AbortSignal): Promise<Set<string>> {
    this.#differing ??= this.#convert(
      unlike.map(({ entry }) => entry),
      signal,
    );
    return this.#differing;
  }

  async #convert(entries: readonly OwnEntry[], signal?: AbortSignal): Promise<Set<string>> {
    const { none } = await this.#converting();
    if (none) return new Set(entries.map(({ key }) => key));
    // A look that runs nothing cannot tell, and leaves these to what git says.
    if (isLooking()) return new Set();
    return notAsConverted(this.#checkout, attributeFiles(this.#entries), entries, signal);
  }

  async #begin(): Promise<void> {
    if (!this.#writing && !isLooking()) this.#writing = await Writing.begin(this.#checkout);
  }

  #note(entry: OwnEntry, { stamp, changedAt }: Found, converted: boolean): void {
    const margin = changedAt % WHOLE === 0n ? COARSE : TICK;
    const settled = this.#writing !== undefined && changedAt + margin < this.#writing.began;
    entry.stamp = settled ? stamp : '';
    entry.converted = converted;
    this.#changed ||= settled;
  }

  /** Writes down what is known now, where it is more than before. */
  async remember(commit: string): Promise<void> {
    if (!this.#changed && this.#before?.commit === commit) return;
    if (isLooking()) return;
    await this.#begin();
    await this.#writing?.finish({
      commit,
      conversions: (await this.#conversions)?.digest ?? '',
      entries: this.#entries,
    });
    this.#writing = undefined;
  }

  async close(): Promise<void> {
    await this.#writing?.abandon();
  }
}
