import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, readlink, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from '../../src/engine/state/lock.ts';
import { isHeld } from '../../src/engine/state/lock-holder.ts';
import { elsewhere, endElsewhere } from '../support/checkouts.ts';
import { config } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { projects } from '../support/project.ts';
import { environment } from '../support/server.ts';

const { make, removeAll } = projects();

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

const engineFile = join(process.env.DISCERN_DIST ?? join(DISCERN_HOME, 'dist'), 'engine.js');

const never = new AbortController().signal;
const take = (path: string) => acquireLock(path, { purpose: 'a test', signal: never, waitMs: 0 });

/** Runs a gate and prints its events and its answer, a line each. */
const driver = `
const [engine, root] = process.argv.slice(1);
const say = (one) => process.stdout.write(JSON.stringify(one) + '\\n');
const ctx = { signal: new AbortController().signal, emit: say, client: 'unknown' };
require(engine).run('done', root, {}, ctx).then((envelope) => say({ type: 'answer', ok: envelope.ok }));
`;

const namespaced = (...flags: string[]) =>
  process.platform === 'linux' &&
  spawnSync('unshare', [...flags, 'sh', '-c', 'mount --bind /tmp /tmp'], { stdio: 'ignore' }).status === 0;

/** A gate in namespaces of its own, after `before` ran there. */
function gateIn(flags: string[], before: string, root: string) {
  const script = `${before} && exec "$0" -e "$1" "$2" "$3"`;
  const child: ChildProcess = spawn(
    'unshare',
    [...flags, 'sh', '-c', script, process.execPath, driver, engineFile, root],
    { cwd: '/', env: environment(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return { child, ended, said: () => said };
}

describe('The lock of a checkout', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    endElsewhere();
    await removeAll();
  });

  /** A project whose gate waits for a file, and what its runs wrote. */
  async function waiting() {
    const project = await make();
    const [log, go] = [join(project.home, 'log'), join(project.home, 'go')];
    const job = `echo begin >> ${log}; until test -e ${go}; do sleep 0.05; done; echo end >> ${log}`;
    await project.commit({ 'discern.toml': config({ test: JSON.stringify(job) }) });
    const lines = async () =>
      (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return { project, lines, release: () => writeFile(go, '') };
  }

  const mounting = ['-Urm', '--propagation', 'private'];
  if (namespaced(...mounting)) {
    it('is one lock by whatever mount it is reached: two gates never run at once', async () => {
      const { project, lines, release } = await waiting();
      const other = `${project.home}-mounted`;
      await mkdir(other);
      try {
        const first = elsewhere('done', project.root, {});
        await until('the first gate runs', async () => (await lines()).length === 1);
        const mounted = project.root.replace(project.home, other);
        const second = gateIn(mounting, `mount --bind '${project.home}' '${other}'`, mounted);
        children.push(second.child);
        await until('the second waits', () => second.said().includes('"waiting"'));
        assert.deepEqual(await lines(), ['begin']);
        await release();
        assert.equal((await first.ended)?.ok, true);
        await second.ended;
        assert.match(second.said(), /"answer","ok":true/);
        assert.deepEqual(await lines(), ['begin', 'end', 'begin', 'end']);
      } finally {
        await rmdir(other);
      }
    });

    for (const hours of [2, -2]) {
      const how = hours > 0 ? 'fast' : 'slow';
      it(`is one lock for two whose clocks differ, where neither sees the other's process: ${how}`, async () => {
        const { project, lines, release } = await waiting();
        const skewed = join(project.home, 'skewed.cjs');
        await writeFile(skewed, `const now = Date.now; Date.now = () => now() + ${hours * 3_600_000};\n`);
        const first = gateIn(['-Urpf'], 'true', project.root);
        children.push(first.child);
        await until('the first gate runs', async () => (await lines()).length === 1);
        const second = gateIn(['-Urpf'], `export NODE_OPTIONS='--require=${skewed}'`, project.root);
        children.push(second.child);
        await until('the second waits', () => second.said().includes('"waiting"'));
        assert.deepEqual(await lines(), ['begin']);
        await release();
        await Promise.all([first.ended, second.ended]);
        for (const one of [first, second]) assert.match(one.said(), /"answer","ok":true/);
        assert.deepEqual(await lines(), ['begin', 'end', 'begin', 'end']);
      });
    }

    it('is respected by who sees other processes under the same pids', async () => {
      const { project, lines, release } = await waiting();
      const first = elsewhere('done', project.root, {});
      await until('the first gate runs', async () => (await lines()).length === 1);
      const second = gateIn(['-Urpfm', '--mount-proc'], 'true', project.root);
      // Without a /proc of its own it sees the processes of the other namespace.
      const third = gateIn(['-Urpf'], 'true', project.root);
      children.push(second.child, third.child);
      for (const one of [second, third]) await until('it waits', () => one.said().includes('"waiting"'));
      assert.deepEqual(await lines(), ['begin']);
      await release();
      assert.equal((await first.ended)?.ok, true);
      await Promise.all([second.ended, third.ended]);
      for (const one of [second, third]) assert.match(one.said(), /"answer","ok":true/);
      assert.deepEqual(await lines(), ['begin', 'end', 'begin', 'end', 'begin', 'end']);
    });
  }
});

describe('A lock of another machine', () => {
  const now = Date.now;
  afterEach(async () => {
    Date.now = now;
    await removeAll();
  });

  const holder = (host: string) =>
    JSON.stringify({ pid: 99_999_999, started: '1', host, nonce: 'theirs', purpose: 'their work' });

  async function lockFile(host: string, age = 0): Promise<string> {
    const project = await make();
    const path = join(project.root, '.git/discern-vscode/locks/x.lock');
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, holder(host));
    const { mtimeMs } = await stat(path);
    await utimes(path, new Date(mtimeMs - age), new Date(mtimeMs - age));
    return path;
  }

  it('is respected though it is called like this one: names and namespaces are alike on many', async () => {
    const space = await readlink('/proc/self/ns/pid').catch(() => '');
    const path = await lockFile(space ? `${hostname()} ${space}` : 'another');
    await assert.rejects(take(path), { slug: 'busy' });
    assert.equal(await isHeld(path), true);
    assert.match(await readFile(path, 'utf8'), /theirs/);
  });

  for (const [how, skew] of [
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ] as const) {
    it(`is dated by the file system, whose clock ours may be ${how} of`, async () => {
      const [fresh, old] = [await lockFile('another'), await lockFile('another', 120_000)];
      Date.now = () => now() + skew;
      await assert.rejects(take(fresh), { slug: 'busy' });
      assert.equal(await isHeld(fresh), true);
      assert.equal(await isHeld(old), false);
      await (await take(old)).release();
    });
  }
});
