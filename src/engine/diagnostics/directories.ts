/** Directories a command changes to before the tool runs. */
export interface CommandDirectories {
  /** The tool runs there: the whole command is carried out in it. */
  all: string[];
  /** Parts of the command run there, others elsewhere. */
  some: string[];
}

const separators = /&&|\|\||[;|\n()]/;
const change =
  /^\s{0,20}(?:cd|pushd|Set-Location)\s{1,9}(?:--\s{1,9})?(?:"([^"]{1,500})"|'([^']{1,500})'|([^\s"']{1,500}))\s*$/;
const options =
  /\s(?:-C|--cwd|--prefix|--dir|--directory|--working-dir|--project-dir|--working-directory|--project-directory|-w|--workspace|--filter|-F|workspace)[ =](?:"([^"]{1,500})"|'([^']{1,500})'|([^\s"']{1,500}))/g;
const manifest =
  /\s(?:--manifest-path|-f|--file|--gradle-file|-p|--project)[ =]([^\s"']{1,500})\/(?:Cargo\.toml|pom\.xml|Makefile|build\.gradle(?:\.kts)?)(?=\s|$)/g;
const other =
  /^\s*(?:(?:export\s)?\w+=\S*\s*)*$|^\s*(?:set|export|source|echo|true|umask|trap|mkdir|test|\[)\b/;

/** Reads `cd x && …`, `make -C x`, `npm --prefix x` and their like off a shell command. */
export function commandDirectories(command: string): CommandDirectories {
  const parts = command.split(separators).filter((part) => part.trim() !== '');
  const found: { directory: string; whole: boolean }[] = [];
  let moved = '';
  let ran = 0;
  const changes = parts.filter((part) => change.test(part)).length;
  for (const part of parts) {
    const [, double, single, bare] = change.exec(part) ?? [];
    const to = double ?? single ?? bare;
    if (to !== undefined && to !== '-') {
      moved = /^[\\/~]/.test(to) || moved === '' ? to : `${moved}/${to}`;
      found.push({ directory: moved, whole: ran === 0 && changes === 1 });
      continue;
    }
    if (!other.test(part)) ran++;
    for (const expression of [options, manifest]) {
      for (const [, a, b, c] of part.matchAll(expression)) {
        const directory = (a ?? b ?? c ?? '').replace(/^\.{3}|\.{3}$|^\{|\}$/g, '');
        if (directory === '' || directory.startsWith('!')) continue;
        found.push({
          directory: moved === '' ? directory : `${moved}/${directory}`,
          whole: parts.length === 1,
        });
      }
    }
  }
  // Of several, only the last `cd` before anything ran holds for all of it.
  return {
    all: found.filter((one) => one.whole).map((one) => one.directory),
    some: found
      .filter((one) => !one.whole)
      .map((one) => one.directory)
      .reverse(),
  };
}
