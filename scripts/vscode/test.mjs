// Runs the tests that need a real VS Code: downloaded by @vscode/test-electron where that works, else the workbench from
// provision.mjs. Says which one ran; fails when neither can.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { identity, makeSample, ownUser } from '../sample.mjs';
import { provision } from './provision.mjs';
import { openWindow, startBrowser, startWorkbench } from './workbench.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const tests = join(root, 'out', 'test', 'extension', 'inside', 'suite.js');

/** How long one suite may take, in milliseconds. */
const PATIENCE_MS = 10 * 60 * 1000;
/** How long a download may take before the workbench is used instead, in milliseconds. */
const DOWNLOAD_MS = 60_000;

/** A program in the place of an agent's client: it writes down where and how it was started, and the first line it is told. */
const standIn = `#!/bin/sh
printf '%s\\n' "$PWD" "$DISCERN_ROOT" "$@" >said.part && mv said.part said.txt
head -n 1 >heard.txt
`;

/** What the extension host of the tests has in its environment. */
function environment(report) {
  const home = dirname(report);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'claude'), standIn, { mode: 0o755 });
  const PATH = [bin, process.env.PATH].join(delimiter);
  return { ...identity, ...ownUser(home), PATH, DISCERN_TEST_REPORT: report };
}

/** The desktop VS Code, or `undefined` when it cannot be downloaded here. */
export async function downloaded() {
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  const cachePath = join(root, '.vscode-test');
  const timer = new Promise((_, reject) =>
    setTimeout(() => reject(new Error('it took too long')), DOWNLOAD_MS).unref(),
  );
  try {
    return await Promise.race([downloadAndUnzipVSCode({ cachePath, timeout: DOWNLOAD_MS }), timer]);
  } catch (error) {
    process.stderr.write(
      `VS Code cannot be downloaded here (${error.message}); the workbench of the npm registry is used.\n`,
    );
    return undefined;
  }
}

async function inDesktop(executable, project, report) {
  const { runTests } = await import('@vscode/test-electron');
  await runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: root,
    extensionTestsPath: tests,
    launchArgs: [project, '--disable-workspace-trust', '--disable-extensions'],
    extensionTestsEnv: environment(report),
  });
}

async function inWorkbench(project, report) {
  const workbench = await startWorkbench({ env: environment(report) });
  try {
    const browser = await startBrowser();
    try {
      await openWindow(browser, workbench.url({ folder: project, extension: root, tests }));
      for (const began = Date.now(); !existsSync(report); ) {
        if (Date.now() - began > PATIENCE_MS) throw new Error('The suite in VS Code did not end in time.');
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    } finally {
      await browser.close();
    }
  } finally {
    await workbench.stop();
  }
}

export async function testInVSCode() {
  const { home, project } = makeSample();
  const report = join(home, 'report.json');
  try {
    const executable = process.env.DISCERN_VSCODE === 'workbench' ? undefined : await downloaded();
    if (executable === undefined) provision();
    process.stdout.write(
      `Tests in ${executable === undefined ? 'the VS Code workbench, in a browser' : `VS Code (${executable})`}:\n`,
    );
    if (executable === undefined) await inWorkbench(project, report);
    else await inDesktop(executable, project, report);
    const { failures, passed, lines } = JSON.parse(readFileSync(report, 'utf8'));
    process.stdout.write(`${lines.join('\n')}\n\n${passed} passed, ${failures} failed\n`);
    return failures === 0 && passed > 0;
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { buildProduct, buildSuite } = await import('../../esbuild.mjs');
  await buildProduct();
  await buildSuite();
  if (!(await testInVSCode())) process.exit(1);
}
