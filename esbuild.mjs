// Builds dist/ from src/. `buildTests` and `buildSuite` are what scripts/test.mjs uses, so that tests and product are built alike.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, context } from 'esbuild';
import { bundledPackages, writeNotices } from './scripts/bundled.mjs';
import { evaluate, generated } from './scripts/generate.mjs';
import { webviewBuild } from './scripts/webview-build.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The JSON Schemas of discern.toml and discern-vscode.toml, for editors. */
async function writeConfigSchemas(outdir) {
  const { configSchema, settingsSchema } = await evaluate('src/contract/config-schema.ts');
  mkdirSync(outdir, { recursive: true });
  const write = (name, schema) =>
    writeFileSync(join(outdir, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
  write('discern', configSchema());
  write('discern-vscode', settingsSchema());
}

/** The plugins of Claude Code and of VS Code, as folders that find our programs beside themselves. */
async function writePlugin(outdir) {
  const { pluginFiles, vscodePluginFiles } = await evaluate('src/engine/setup/plugin.ts');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the client's own variable, for the client to resolve.
  const beside = '${CLAUDE_PLUGIN_ROOT}/..';
  const programs = { node: 'node', server: `${beside}/server.js`, hook: `${beside}/hook.js` };
  const write = (folder, files) => {
    for (const [name, text] of Object.entries(files)) {
      const file = join(outdir, folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  };
  write('plugin', pluginFiles(programs, version));
  write('vscode-plugin', vscodePluginFiles(programs, `${beside}/attach.js`, version));
}

/** Parts of the extension in files of their own, loaded when first needed. */
const laterBeside = {
  name: 'later-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(client|config-language)\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: path.replace(/ts$/, 'js'), external: true } : undefined,
    );
  },
};

/**
 * The engine is one file beside the programs that use it: the server loads it behind its first answers, and the CLI shares
 * it.
 */
const engineBeside = {
  name: 'engine-beside',
  setup({ onResolve }) {
    onResolve({ filter: /\/engine\/index\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './engine.js', external: true },
    );
  },
};

/** Serving over HTTP is one file beside the server, which loads it only when it is asked to. */
const httpBeside = {
  name: 'http-beside',
  setup({ onResolve }) {
    onResolve({ filter: /\/http\/index\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './http.js', external: true },
    );
  },
};

/**
 * The SDK's adapter for node:http has two halves in one file; the one we use needs nothing of Hono, and esbuild may leave that
 * out once it is told that importing it does nothing.
 */
const honoUnused = {
  name: 'hono-unused',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@hono\/node-server$/ }, async ({ pluginData, path, ...rest }) => {
      if (pluginData === 'hono') return undefined;
      const found = await resolve(path, { ...rest, pluginData: 'hono' });
      return { ...found, sideEffects: false };
    });
  },
};

/** The points at which tests kill a verb are empty functions in what is shipped, and esbuild drops their calls and names. */
const withoutFaults = {
  name: 'without-faults',
  setup({ onResolve }) {
    onResolve({ filter: /\/faults\.ts$/ }, () => ({ path: here('src/engine/faults/no-faults.ts') }));
  },
};

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'warning',
  metafile: true,
  define: { DISCERN_VERSION: JSON.stringify(version) },
  // Its CommonJS form finds its own parts at run time, where a bundle has none.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [generated],
};

const forTests = {
  ...shared,
  outbase: here('.'),
  sourcemap: 'inline',
  define: { ...shared.define, DISCERN_HOME: JSON.stringify(here('.').replace(/\/$/, '')) },
  external: ['vscode', 'mocha', 'esbuild', 'typescript'],
};

/** The options of each bundle of the product. */
function bundles() {
  return [
    {
      ...shared,
      entryPoints: { engine: here('src/engine/index.ts') },
    },
    {
      ...shared,
      plugins: [generated, engineBeside, httpBeside, honoUnused],
      entryPoints: { server: here('src/server/main.ts'), http: here('src/server/http/index.ts') },
      // The server validates no JSON Schema: its own arguments go through the contract. Without this alias the SDK
      // brings Ajv along, a third of the whole.
      alias: { ...shared.alias, '@modelcontextprotocol/server/_shims': here('src/server/sdk-shims.ts') },
    },
    {
      ...shared,
      plugins: [generated, laterBeside],
      entryPoints: { extension: here('src/extension/extension.ts') },
      external: ['vscode'],
    },
    {
      ...shared,
      plugins: [generated],
      entryPoints: {
        client: here('src/extension/client.ts'),
        'config-language': here('src/extension/config-language.ts'),
      },
      external: ['vscode'],
    },
    {
      ...shared,
      plugins: [generated, engineBeside],
      entryPoints: { hook: here('src/hook/main.ts') },
    },
    {
      ...shared,
      entryPoints: { attach: here('src/attach/main.ts') },
      // Where there is no window, it becomes the server beside it.
      external: ['./server.js'],
    },
    {
      ...shared,
      plugins: [generated, engineBeside],
      entryPoints: { cli: here('src/cli/main.ts') },
      // `discern mcp` and `discern hook` are files of their own, loaded as they are.
      external: ['./server.js', './hook.js'],
      // yargs derives file names of its own from its module's address, which a CommonJS bundle has under another name.
      banner: {
        js: '#!/usr/bin/env node\nconst importMetaUrl = require("node:url").pathToFileURL(__dirname + "/node_modules/yargs/lib/platform-shims/esm.mjs").href;',
      },
      define: { ...shared.define, 'import.meta.url': 'importMetaUrl' },
    },
  ];
}

/**
 * The whole product's bundles for `outdir`: small as they are shipped, or in `development` as they are read in a debugger, with
 * source maps. With `faults`, as in development, tests can kill it between two effects.
 */
export function productBundles(outdir, { development = false, faults = development } = {}) {
  const readable = { minify: false, sourcemap: 'linked', sourcesContent: false };
  const programs = bundles().map((options) => ({
    ...options,
    plugins: [...(options.plugins ?? []), ...(faults ? [] : [withoutFaults])],
    outdir,
    minify: true,
  }));
  return [webviewBuild(outdir), ...programs].map((options) =>
    development ? { ...options, ...readable } : options,
  );
}

/** Builds the product into `outdir`, with the notices of the packages that went into it. */
export async function buildProduct(outdir = here('dist'), options = {}) {
  const made = await Promise.all(productBundles(outdir, options).map((bundle) => build(bundle)));
  await Promise.all([writeConfigSchemas(outdir), writePlugin(outdir)]);
  writeNotices(outdir, bundledPackages(made.map(({ metafile }) => metafile)));
}

/** Builds for development, and again what a change of a source touches, until the process ends. */
async function watchProduct() {
  await buildProduct(here('dist'), { development: true });
  let running = 0;
  let errors = 0;
  // The two lines are what .vscode/tasks.json waits for.
  const told = {
    name: 'told',
    setup({ onStart, onEnd }) {
      onStart(() => {
        if (running++ === 0) {
          errors = 0;
          process.stdout.write('building\n');
        }
      });
      onEnd((result) => {
        errors += result.errors.length;
        if (--running === 0) process.stdout.write(`watching, ${errors} errors\n`);
      });
    },
  };
  for (const options of productBundles(here('dist'), { development: true })) {
    await (await context({ ...options, plugins: [...(options.plugins ?? []), told] })).watch();
  }
}

/**
 * Test files (paths from the repository's root) as bundles in `outdir`, each beside its own name. What they share is in files of
 * its own: with a copy in each, a test process grows to half a gigabyte, and every process it starts is slower to start for it.
 */
const testBundles = (files, outdir) => ({
  ...forTests,
  entryPoints: files.map(here),
  outdir: here(outdir),
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' },
  // Bundled CommonJS packages ask for node's own modules, and a test file may start itself again.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; import { fileURLToPath as pathOfUrl } from 'node:url';
const require = requireFrom(import.meta.url), __filename = pathOfUrl(import.meta.url);`,
  },
});

/** Bundles test files into `outdir`. */
export async function buildTests(files, outdir = 'out') {
  await build(testBundles(files, outdir));
}

/** Bundles test files, and again whenever one of them or a source changes, and calls `built` after each time that went well. */
export async function watchTests(files, outdir, built) {
  const after = {
    name: 'after',
    setup({ onEnd }) {
      onEnd(({ errors }) => {
        if (errors.length === 0) built();
        process.stdout.write('Waiting for a change; Ctrl+C ends.\n');
      });
    },
  };
  const options = testBundles(files, outdir);
  await (await context({ ...options, plugins: [...options.plugins, after] })).watch();
}

/** Bundles the suite that runs inside VS Code's extension host, which takes a CommonJS file. */
export async function buildSuite(outdir = here('out')) {
  await build({ ...forTests, entryPoints: [here('test/extension/inside/suite.ts')], outdir });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--watch')) await watchProduct();
  else await buildProduct(here('dist'), { development: process.argv.includes('--development') });
}
