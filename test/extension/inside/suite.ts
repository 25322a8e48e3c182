import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * The entry VS Code calls inside its extension host, under `@vscode/test-electron` and in the workbench alike. The report goes
 * to a file too: in a browser the extension host's exit code reaches nobody.
 */
export async function run(): Promise<void> {
  const report = process.env.DISCERN_TEST_REPORT;
  const lines: string[] = [];
  // As outside VS Code: on a machine that is busy with others a wait may run out once.
  const retries = process.env.CI ? 1 : 0;
  const mocha = new Mocha({ ui: 'bdd', timeout: 90_000, retries, forbidOnly: true, forbidPending: true });
  mocha.suite.emit('pre-require', globalThis, 'suite', mocha);
  // The tests are part of this bundle: requiring them registers their suites.
  require('./model.ts');
  require('./window.ts');
  require('./everyday.ts');
  require('./fleet.ts');
  require('./config-editing.ts');
  mocha.suite.emit('require', undefined, 'suite', mocha);
  mocha.suite.emit('post-require', globalThis, 'suite', mocha);
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', (test) => lines.push(`  ✔ ${test.fullTitle()} (${test.duration}ms)`));
    runner.on('fail', (test, error) => lines.push(`  ✖ ${test.fullTitle()}\n${error.stack ?? error}`));
  });
  if (report) writeFileSync(report, JSON.stringify({ failures, passed: lines.length - failures, lines }));
  if (failures > 0) throw new Error(`${failures} tests failed.\n${lines.join('\n')}`);
}
