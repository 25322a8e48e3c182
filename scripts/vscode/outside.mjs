// Runs the tests that drive a real VS Code workbench from outside, as a person would: test/extension/outside/*.mjs. Each exports
// its `name`, a statement; `run(stage)`, which throws when the statement is not so; where folders must not be trusted,
// `trust = false`; where the extension must be packaged and installed, `installed = true`; and where the chat needs the scripted
// agent, `agent = true`.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageExtension } from '../package.mjs';
import { identity } from '../sample.mjs';
import { isAlive, tree } from './processes.mjs';
import { provision } from './provision.mjs';
import { Stage } from './stage.mjs';
import { until } from './window.mjs';
import { installVsix, startBrowser, startWorkbench } from './workbench.mjs';

const folder = new URL('../../test/extension/outside/', import.meta.url);
const agentFolder = new URL('../../test/extension/scripted-agent/', import.meta.url);

/** Ends the workbench, and then what was left of all it had started. */
async function takeDown(workbench) {
  const started = tree(workbench.pid).map(({ pid }) => pid);
  await workbench.stop();
  await until('the workbench’s processes end', () => !started.some(isAlive), { patience: 10_000 }).catch(
    () => {
      for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL');
    },
  );
}

async function runTest({ name, run }, workbench, browser, extensionsDir) {
  const stage = new Stage(workbench, browser, extensionsDir);
  const began = Date.now();
  const failures = [];
  for (const step of [() => run(stage), () => stage.clear()]) {
    await step().catch(async (error) => {
      failures.push(error);
      await stage.photograph();
    });
  }
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  process.stdout.write(`  ${failures.length === 0 ? '✔' : '✖'} ${name} (${seconds} s)\n`);
  // A browser that died puts its whole log behind these words.
  for (const error of failures)
    process.stdout.write(`${String(error.stack ?? error).split('Browser logs:')[0]}\n`);
  return failures.length === 0;
}

/** Runs the tests whose file names contain one of `chosen`, or all; resolves with how many passed and how many failed. */
export async function testOutside(chosen = []) {
  provision();
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .filter((name) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
    .sort();
  const tests = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  const counts = { passed: 0, failed: 0 };
  const browser = await startBrowser();
  try {
    for (const [trust, installed] of [
      [true, false],
      [false, false],
      [true, true],
    ]) {
      const those = tests.filter(
        (test) => (test.trust ?? true) === trust && (test.installed ?? false) === installed,
      );
      if (those.length === 0) continue;
      const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-extensions-')));
      const extensionsDir = join(home, 'extensions');
      if (installed) await installVsix(packageExtension(join(home, 'discern.vsix')), extensionsDir);
      if (those.some((test) => test.agent))
        await installVsix(packageExtension(join(home, 'agent.vsix'), { from: agentFolder }), extensionsDir);
      const workbench = await startWorkbench({ trust, env: identity, extensionsDir });
      try {
        for (const test of those) {
          const passed = await runTest(test, workbench, browser, installed ? extensionsDir : undefined);
          counts[passed ? 'passed' : 'failed']++;
        }
      } finally {
        await takeDown(workbench);
        rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      }
    }
  } finally {
    await browser.close();
  }
  return counts;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed } = await testOutside(process.argv.slice(2));
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}
