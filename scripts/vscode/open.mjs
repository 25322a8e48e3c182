// `npm run vscode`: a real VS Code with this extension, on a sample project. The desktop one where it can be downloaded; else
// the workbench of the npm registry, to be opened in a browser. Ends with Ctrl-C, and takes everything down again.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { identity, makeSample } from '../sample.mjs';
import { provision } from './provision.mjs';
import { downloaded } from './test.mjs';
import { startWorkbench } from './workbench.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { home, project } = makeSample();
const asked = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
});

try {
  const executable = process.env.DISCERN_VSCODE === 'workbench' ? undefined : await downloaded();
  if (executable) {
    const child = spawn(
      executable,
      ['--wait', '--new-window', `--extensionDevelopmentPath=${root}`, project],
      {
        env: { ...process.env, ...identity },
        stdio: 'ignore',
      },
    );
    await Promise.race([asked, new Promise((resolve) => child.once('exit', resolve))]);
  } else {
    provision();
    const workbench = await startWorkbench({ env: identity });
    process.stdout.write(
      `Open this in a browser, and press Ctrl-C here when done:\n\n  ${workbench.url({ folder: project, extension: root })}\n\n`,
    );
    await asked;
    await workbench.stop();
  }
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
