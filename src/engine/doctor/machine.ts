import { access, constants } from 'node:fs/promises';
import { parse } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import { Refusal } from '../call/refusal.ts';
import { gitLine } from '../git/core.ts';
import { fine, guarded, warn, wrong } from './finding.ts';

const needed = { git: [2, 38], node: [20, 0] } as const;

/** True when a version such as `2.39.5` is at least the one needed. */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, a = 0, b = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return a > major || (a === major && b >= minor);
}

/** What discern needs of the machine: git, Node, a shell. */
export async function machine(): Promise<Finding[]> {
  const looked = await Promise.all([
    guarded('git', gitVersion),
    guarded('shell', shell),
    guarded('node', async () => [nodeVersion(process.versions.node)]),
  ]);
  return [
    fine('version', `discern ${DISCERN_VERSION} on ${process.platform} ${process.arch}.`),
    ...looked.flat(),
  ];
}

async function gitVersion(): Promise<Finding[]> {
  const advice = 'Install git 2.38 or later and put it on PATH.';
  try {
    // From the root of the file system, which is always there.
    const version = await gitLine(parse(process.execPath).root, ['--version']);
    return isAtLeast(version, needed.git)
      ? [fine('git', `${version}.`)]
      : [wrong('git', `${version} is older than 2.38.`, advice)];
  } catch (error) {
    if (!Refusal.is(error)) throw error;
    return [wrong('git', 'git could not be started.', advice)];
  }
}

async function shell(): Promise<Finding[]> {
  if (process.platform === 'win32') {
    const { ComSpec } = process.env;
    return ComSpec
      ? [fine('shell', `Jobs run in ${ComSpec}.`)]
      : [
          warn(
            'shell',
            'ComSpec is not set, so jobs run in cmd.exe from PATH.',
            'Set ComSpec to cmd.exe’s path.',
          ),
        ];
  }
  const works = await access('/bin/sh', constants.X_OK).then(
    () => true,
    () => false,
  );
  return works
    ? [fine('shell', 'Jobs run in /bin/sh.')]
    : [wrong('shell', '/bin/sh cannot be run, and every job runs in it.', 'Install a POSIX shell there.')];
}

function nodeVersion(version: string): Finding {
  return isAtLeast(version, needed.node)
    ? fine('node', `Node ${version} (${process.execPath}).`)
    : wrong('node', `Node ${version} is older than 20.`, 'Run discern with Node 20 or later.');
}
