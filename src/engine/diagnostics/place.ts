import { type Place, position } from './finding.ts';

export type { Place } from './finding.ts';

const sourceExtension = new RegExp(
  `\\.(?:${[
    'adb|ads|adoc|asm|astro|bash|c|cc|cjs|clj|cmake|cpp|cr|cs|css|csv|csx|cts|cu|cxx|d|dart|elm|erl|ex|exs|f|f90|feature|fs|fsx|go|groovy|gradle|graphql',
    'h|hh|hpp|hs|hcl|heex|hrl|html|hxx|inc|ini|java|jl|js|json|json5|jsonc|jsx|ipynb|kt|kts|less|lua|m|md|mjs|ml|mli|mm|mts|nim|nix|pas|php|phtml|pl|pm|proto|psm1|purs',
    'ps1|pug|py|pyi|pyx|r|rake|rb|res|resi|rs|rst|s|scala|scss|sh|sol|sql|svelte|swift|sv|tex|tf|tfvars|toml|ts|tsx|txt|vala|v|vb|vhd|vue|xml',
    'styl|sass|t|bats|vue|y|yaml|yml|zig|zsh',
  ].join('|')})$`,
  'i',
);
const knownName =
  /(?:^|[\\/])(?:GNUm|[Mm])akefile$|(?:^|[\\/])(?:Dockerfile(?:\.\w{1,40})?|Containerfile|Jenkinsfile|BUILD|WORKSPACE|Rakefile|Gemfile|Vagrantfile|Justfile|justfile)$/;

/** Whether the name ends as source files do, which tells `a.c:12` from `db.internal:5432`. */
export function isSourceFile(text: string): boolean {
  return sourceExtension.test(text) || knownName.test(text);
}

/**
 * Whether the text in front of a `:12` can be a file's name. Refuses times of day, URLs, and prose that
 * happens to end in a name: a blank is believed only after a separator (`/My Project/a.c`).
 */
export function isPath(text: string): boolean {
  if (text === '' || text.length > 1024 || text !== text.trim()) return false;
  if (/^[#<>|*=]|["|<>*?]|(?:^|[\s[(T])\d{1,2}$/.test(text)) return false;
  const bare = text.replace(/^(?:file|webpack(?:-internal)?):\/\//, '');
  if (bare.includes('://')) return false;
  const blank = bare.search(/\s/);
  if (blank !== -1 && !/[\\/]/.test(bare.slice(0, blank))) return false;
  return /[\\/]|\.[A-Za-z_][\w+-]{0,15}$/.test(bare) || knownName.test(bare);
}

/** What runners put in front of a line (`[build] `), which is no part of the path. */
export function withoutLabel(line: string): string {
  return line.startsWith('[') ? line.replace(/^\[[^\]]{1,40}\] +/, '') : line;
}

// The path may hold no colon but a drive's or a file URI's own: a first colon without digits after it (as in
// `http://host:80: x`) ends the attempt, and no input makes the match backtrack.
const atStart = /^((?:file:\/\/)?(?:\/?[A-Za-z]:(?=[\\/]))?[^:]+):(\d{1,9})(?::(\d{1,9}))?: ?(.*)$/;

/** Reads `file:line[:column]: rest` at the start of a line. */
export function placeAtStart(line: string): (Place & { rest: string }) | undefined {
  const [, file, row, column, rest] = atStart.exec(line) ?? [];
  if (file === undefined || rest === undefined || !isPath(file)) return undefined;
  return { file, line: position(row), column: position(column), rest };
}

/** Reads `file:line[:column]` where the text ends in it. */
export function placeAtEnd(text: string): Place | undefined {
  const match = /:(\d{1,9})(?::(\d{1,9}))?:?$/.exec(text);
  if (match === null) return undefined;
  const file = text.slice(0, match.index);
  if (!isPath(file)) return undefined;
  return { file, line: position(match[1]), column: position(match[2]) };
}

const internal = /^(?:node:|internal\/|<|\[eval|native|index )/;

/**
 * Reads one line of a JavaScript stack: `at f (file:1:2)`, `at file:1:2`, the same without `at` (as TAP's
 * `stack` has it), or vitest's `❯ file:1:2`. `file` is undefined for a frame inside the runtime.
 */
export function scriptFrame(line: string, bare = false): Place | { file: undefined } | undefined {
  const trimmed = line.trim();
  const marked = /^(?:at|❯) /.test(trimmed);
  if (!marked && !bare) return undefined;
  const call = marked ? trimmed.replace(/^\S+ (?:async )?/, '') : trimmed;
  const open = call.endsWith(')') ? call.indexOf(' (') : -1;
  const inner = open === -1 ? call : call.slice(open + 2, -1);
  if (internal.test(inner)) return { file: undefined };
  // vitest puts the function's name before the place.
  const place =
    placeAtEnd(inner) ??
    (trimmed.startsWith('❯ ') ? placeAtEnd(inner.slice(inner.lastIndexOf(' ') + 1)) : undefined);
  if (place !== undefined) return place;
  return marked && open !== -1 ? { file: undefined } : undefined;
}

const pythonFrameLine = /^(\s*)File "([^"]{1,1024})", line (\d{1,9})/;

/** Reads one `File "x.py", line 3` of a Python traceback, with how far it is indented. */
export function pythonFrame(line: string): (Place & { indent: number }) | undefined {
  const [, indent, file, row] = pythonFrameLine.exec(line) ?? [];
  if (indent === undefined || file === undefined) return undefined;
  return { indent: indent.length, file, line: position(row), column: undefined };
}

const foreign =
  /\/(?:node_modules|site-packages|dist-packages|lib\/python\d?[\d.]*|rustc\/[0-9a-f]{8,}|\.cargo\/(?:registry|git)|pkg\/mod|go(?:-[\d.]+)?\/src\/(?:runtime|testing|reflect|sync|os|net|time|internal|context|fmt|io|errors)|gems|lib\/ruby|\.pnpm|\.yarn\/(?:cache|unplugged)|bower_components|vendor\/bundle)\//i;

/** Whether a frame's file is the project's own rather than a dependency's or the runtime's. */
export function isOwn(file: string): boolean {
  if (/^[<[]|^node:/.test(file)) return false;
  const path = file.replaceAll('\\', '/');
  return !foreign.test(`/${path}`);
}

/** The project's own frame among these, or else the first that names a file. */
export function ownPlace(places: readonly Place[]): Place | undefined {
  return places.find((place) => isOwn(place.file)) ?? places[0];
}
