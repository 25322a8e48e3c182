import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cliFile } from './cli.ts';
import type { Project } from './project.ts';
import { environment } from './server.ts';

const exec = promisify(execFile);

/** Runs a command exactly as `status` names it, in a shell in the main checkout that knows `discern`. */
export async function follow(project: Pick<Project, 'home' | 'root'>, remedy: string): Promise<string> {
  const bin = join(project.home, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'discern'), `#!/bin/sh\nexec '${process.execPath}' '${cliFile}' "$@"\n`);
  await chmod(join(bin, 'discern'), 0o755);
  const env = environment({ PATH: `${bin}:${process.env.PATH}` });
  const { stdout } = await exec('sh', ['-c', remedy], { cwd: project.root, env });
  assert.doesNotMatch(stdout, /internal_error/);
  return stdout;
}
