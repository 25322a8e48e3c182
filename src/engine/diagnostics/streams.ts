import type { Tree } from './tree.ts';

/** The lines of each tool of their own, as it printed them. */
export interface Streams {
  lines: string[];
  /** Of each line: where it stood in the output. */
  origins: number[];
  /** Of each line: whose it is and where that tool ran, as far as other lines tell. */
  contexts: Context[];
}

export interface Context {
  /** What a runner put in front: a member of the workspace, or a task. */
  label: string | undefined;
  /** As printed, the likeliest first. */
  directories: readonly string[];
}

/** A context whose directory a later line may tell. */
type Open = { label: string | undefined; directories: string[] };

interface Prefix {
  /** Tells streams of one runner apart. */
  key: string;
  name: string;
  rest: string;
  /** Only where the name is a member of the workspace. */
  ask: boolean;
}

const task =
  /^(?:build|compile|lint|test|tests|check|checks|types?|tsc|typecheck|type-check|check-types|format|fmt|dev|start|verify|validate|ci|unit|e2e|prepare|bundle|docs?|clean|generate|codegen|analyze|eslint|vitest|jest)(?:[:._-].*)?$/;
const turbo = /^(@?[\w.-]{1,100}(?:\/[\w.-]{1,100})?):([A-Za-z][\w:.-]{0,40}): ?(.*)$/;
const pnpm = /^([@\w.][\w@./-]{0,200}) ([a-z][\w:.-]{0,40})(?:: ?|\$ )(.*)$/;
const bracketed = /^\[([@\w][\w@./: -]{0,60})\]:? ?(.*)$/;
const scoped = /^(@[\w.-]{1,100}\/[\w.-]{1,100}): ?(.*)$/;
const named = /^([a-z][\w.-]{0,100}): (.*)$/;
const piped = /^(?:\d\d:\d\d:\d\d )?([a-z][\w.-]{0,40}) {1,40}\| (.*)$/;
const notice = /^(?:➤ YN\d{4}: (?:[│┌└] )?|#\d{1,4} \d{1,6}\.\d{1,4} )/;
const notLabel =
  /^(?:e|w|i|errors?|warn(?:ing)?s?|info|note|notice|debug|verbose|fatal|fail(?:ed|ure)?|ok|hint|help|trace|success|done|critical|severe|tsl|pass(?:ed)?|skip(?:ped)?|cause|ref|pipeline|plugin .*|vite|at-loader|\d{1,3}%|\d+\/\d+|\d{1,2}:\d.*|\d{3,}.*)$/i;
const sourceName = /\.[a-z]{1,5}$/i;

/**
 * Takes off what workspace runners put in front of each line, brings each one's lines together, and follows make, npm and
 * scripts into the directories they say they enter.
 */
export async function separate(printed: readonly string[], tree: Tree): Promise<Streams> {
  const members = new Map<string, boolean>();
  const prefixes = printed.map(prefixOf);
  for (const prefix of prefixes) {
    if (prefix?.ask && !members.has(prefix.name)) members.set(prefix.name, await isMember(prefix, tree));
  }
  // `[x]` alone on a line is a label only where it also stands before words.
  const spoken = new Set(
    prefixes.flatMap((prefix) => (prefix?.key.startsWith('[') && prefix.rest !== '' ? [prefix.key] : [])),
  );
  const groups = new Map<string, Group>();
  for (const [at, whole] of printed.entries()) {
    const prefix = prefixes[at];
    const bare = prefix?.key.startsWith('[') === true && !spoken.has(prefix.key);
    const counts = prefix !== undefined && !bare && (!prefix.ask || members.get(prefix.name) === true);
    const { key, name, rest } = counts
      ? prefix
      : { key: '', name: undefined, rest: whole.replace(notice, '') };
    const group = groups.get(key) ?? new Group(name);
    groups.set(key, group);
    group.push(rest, at);
  }
  const streams: Streams = { lines: [], origins: [], contexts: [] };
  for (const { lines, origins, contexts } of groups.values()) {
    // An empty line keeps what follows from being read as part of what stands before.
    for (const [at, line] of [...lines, ''].entries()) {
      streams.lines.push(line);
      streams.origins.push(origins[at] ?? origins.at(-1) ?? 0);
      streams.contexts.push(contexts[at] ?? { label: undefined, directories: [] });
    }
  }
  return streams;
}

function prefixOf(whole: string): Prefix | undefined {
  const line = notice.test(whole) ? whole.replace(notice, '') : whole;
  if (line.startsWith('[')) {
    const [, name, rest] = bracketed.exec(line) ?? [];
    // `[PARSE_ERROR] …` and its like are a tool's own.
    if (name === undefined || rest === undefined || notLabel.test(name) || /^[A-Z]+_[A-Z_]+$/.test(name))
      return undefined;
    return { key: `[${name}`, name: name.replace(/:[^/]*$/, '').trim(), rest, ask: false };
  }
  const first = line.charCodeAt(0);
  // Neither a letter, a digit, `@`, `.` nor `_`: no runner's prefix.
  if (!((first >= 46 && first <= 57) || (first >= 64 && first <= 122)) || first === 47) return undefined;
  const [, member, script, said] = turbo.exec(line) ?? [];
  if (member !== undefined && script !== undefined && !notLabel.test(member) && !sourceName.test(member)) {
    if (member.startsWith('@') || task.test(script))
      return { key: `${member}:${script}`, name: member, rest: said ?? '', ask: false };
  }
  const [, path, run, told] = pnpm.exec(line) ?? [];
  if (
    path !== undefined &&
    run !== undefined &&
    !notLabel.test(path) &&
    (path.includes('/') || task.test(run))
  ) {
    return { key: `${path} ${run}`, name: path, rest: told ?? '', ask: true };
  }
  const [, scope, text] = scoped.exec(line) ?? [];
  if (scope !== undefined) return { key: scope, name: scope, rest: text ?? '', ask: false };
  const [, service, logged] = piped.exec(line) ?? [];
  if (service !== undefined && !notLabel.test(service) && !sourceName.test(service))
    return { key: `${service}|`, name: service, rest: logged ?? '', ask: false };
  const [, name, rest] = named.exec(line) ?? [];
  if (name === undefined || notLabel.test(name) || sourceName.test(name)) return undefined;
  return { key: `${name}:`, name, rest: rest ?? '', ask: true };
}

async function isMember({ key, name }: Prefix, tree: Tree): Promise<boolean> {
  if (key.endsWith(':')) return (await tree.packageNamed(name)) !== undefined;
  return (await tree.member(name)) !== undefined;
}

const enters =
  /^\S{0,100}(?:make|ninja)(?:\[\d{1,3}\])?: (Entering|Leaving) directory ['`"‘](.{1,1000})['"’]$/;
const header = /^> (@?[\w./-]{1,200})@\S{1,60} \S{1,100}(?: ([\\/]\S.{0,500}))?$/;
const project = /^(?:> |✖ {1,3}|✔ {1,3}|× {1,3})nx run ([\w@./-]{1,200}):\S{1,100}/;
const npmPath = /^npm (?:error|ERR!) (?:path|location) (\S.{0,500})$/;
const banner = /^> \w[\w:.-]{0,60}$/;
const submodule = /^Entering '([^']{1,500})'$/;
const script = /^(?:[>$+] |make: )?\(?(?:cd|pushd) ["']?([^\s"'&;|)]{1,500})["']?\s*(?:$|&&|;)/;

/** One tool's lines, and where it said it ran. */
class Group {
  readonly lines: string[] = [];
  readonly origins: number[] = [];
  readonly contexts: Context[] = [];
  readonly #label: string | undefined;
  readonly #entered: string[] = [];
  #header: string | undefined;
  #moved: string | undefined;
  #context: Open;

  constructor(label: string | undefined) {
    this.#label = label;
    this.#context = { label, directories: [] };
  }

  push(line: string, at: number): void {
    if (this.#follow(line)) {
      const directories = [this.#moved, this.#entered.at(-1), this.#header].filter(
        (one) => one !== undefined,
      );
      this.#context = { label: this.#label, directories };
    }
    this.lines.push(line);
    this.origins.push(at);
    this.contexts.push(this.#context);
  }

  /** Whether the line says that its tool runs elsewhere from here on. */
  #follow(line: string): boolean {
    if (line.length > 1200 || line === '') return false;
    // npm says where a script ran when it has failed.
    const ran = npmPath.exec(line)?.[1];
    if (ran !== undefined) {
      if (!this.#context.directories.includes(ran)) this.#context.directories.push(ran);
      return false;
    }
    const [, way, directory] = enters.exec(line) ?? [];
    if (directory !== undefined) {
      if (way === 'Entering') this.#entered.push(directory);
      else this.#entered.splice(Math.max(0, this.#entered.lastIndexOf(directory)));
      this.#moved = undefined;
      return true;
    }
    const [, name, path] = header.exec(line) ?? [];
    const entered = path ?? name ?? project.exec(line)?.[1] ?? submodule.exec(line)?.[1];
    if (entered !== undefined) {
      this.#header = entered;
      this.#moved = undefined;
      return true;
    }
    if (banner.test(line)) {
      this.#header = undefined;
      this.#moved = undefined;
      return true;
    }
    const to = script.exec(line)?.[1];
    if (to === undefined || to === '-') return false;
    const from = this.#entered.at(-1) ?? this.#header;
    this.#moved = /^[\\/~]/.test(to) || from === undefined || !/^[\\/]/.test(from) ? to : `${from}/${to}`;
    return true;
  }
}
