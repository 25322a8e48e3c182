// What the programs would else work out at every start, as plain JSON in generated/: made from the sources before each build.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Evaluates a TypeScript module while building, and returns its exports. */
export async function evaluate(entry) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0].text)(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return module.exports;
}

/** The texts of docs/help, by topic. */
export function helpSources() {
  const dir = here('docs/help/');
  const files = readdirSync(dir).filter((file) => file.endsWith('.md'));
  return Object.fromEntries(files.map((file) => [file.slice(0, -3), readFileSync(join(dir, file), 'utf8')]));
}

/** Writes a file of generated/ where it differs, in one step: two builds may run at once. */
function write(name, value) {
  const file = here(`generated/${name}.json`);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  try {
    if (readFileSync(file, 'utf8') === text) return;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  mkdirSync(here('generated'), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

async function generate() {
  const [{ buildTraits }, { buildManifest }, { buildHelp }] = await Promise.all(
    ['src/contract/verbs.ts', 'src/server/manifest.ts', 'src/reference/pages.ts'].map(evaluate),
  );
  const help = buildHelp(helpSources());
  write('traits', buildTraits());
  write('manifest', buildManifest());
  write('help', help);
  // The server lists the topics before it has loaded the engine, which has their texts.
  write(
    'help-topics',
    help.pages.map(({ text: _text, ...topic }) => topic),
  );
}

let going;

/** Makes generated/ anew before a build, once for all that begin together, and has its files read as data. */
export const generated = {
  name: 'generated',
  setup({ onStart, onLoad }) {
    onStart(() => {
      going ??= generate().finally(() => {
        going = undefined;
      });
      return going;
    });
    // Parsing data as JSON takes node a fraction of what compiling it as a literal does.
    onLoad({ filter: /[\\/]generated[\\/][a-z-]+\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { contents: `export default JSON.parse(${JSON.stringify(text)});`, loader: 'js' };
    });
  },
};
