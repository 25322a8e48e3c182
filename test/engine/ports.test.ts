import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Context } from '../../src/engine/call/context.ts';
import { openRepository } from '../../src/engine/repository/repository.ts';
import { identify } from '../../src/engine/worktree/identify.ts';
import { portFor } from '../../src/engine/worktree/identity.ts';
import { listeningOn, parseListening } from '../../src/engine/worktree/listening.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const ctx: Context = { signal: new AbortController().signal, emit: () => undefined, client: 'unknown' };

describe('A worktree’s port', () => {
  const { make, removeAll } = projects();
  const servers: Server[] = [];
  const before = process.env.XDG_STATE_HOME;
  let state: string;

  async function project(): Promise<Project> {
    const made = await make();
    // The claims of these tests are their own, so that no other run's worktrees move their ports.
    state = join(made.home, 'state');
    process.env.XDG_STATE_HOME ??= state;
    return made;
  }

  beforeEach(() => {
    delete process.env.XDG_STATE_HOME;
  });

  afterEach(async () => {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
    await Promise.all(servers.splice(0).map((one) => new Promise((done) => one.close(done))));
    await removeAll();
  });

  async function listen(port: number, host: string): Promise<boolean> {
    const server = createServer((socket) => socket.destroy());
    return new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port, host, exclusive: true }, () => {
        servers.push(server);
        resolve(true);
      });
    });
  }

  /** A name whose own port, and the two after it, nobody on this machine has now. */
  async function quietName(): Promise<{ id: string; port: number }> {
    for (let n = 0; n < 500; n++) {
      const id = `quiet-${process.pid}-${n}`;
      const port = portFor(id, new Set());
      if (port < 19_280 && (await listeningOn([port, port + 1, port + 2])).size === 0) return { id, port };
    }
    throw new Error('every port of the band is in use');
  }

  async function identified(of: Project, id: string) {
    const path = join(of.home, `${id}-${Math.random().toString(36).slice(2, 8)}`);
    await git(of.root, 'worktree', 'add', '--quiet', '--detach', path);
    const repo = await openRepository(of.root);
    const { record } = await identify(
      repo,
      { id, branch: id, path, base: 'main', baseCommit: repo.commit },
      ctx,
    );
    return { ...record, path };
  }

  for (const host of ['127.0.0.1', '0.0.0.0', '::1', '::']) {
    it(`moves on when somebody listens on it at ${host}, and is the id’s own again once they stopped`, async () => {
      const at = await project();
      const { id, port } = await quietName();
      if (!(await listen(port, host))) {
        // A machine without IPv6 has nobody listening there.
        assert.match(host, /:/);
        return;
      }
      assert.equal((await identified(at, id)).port, port + 1);
      await Promise.all(servers.splice(0).map((one) => new Promise((done) => one.close(done))));
      await rm(join(at.root, '.git/worktrees'), { recursive: true });
      assert.equal((await identified(at, id)).port, port);
    });
  }

  it('moves on when a worktree of another repository has it, for as long as that one is there', async () => {
    const [one, two] = [await project(), await make()];
    const { id, port } = await quietName();
    const first = await identified(one, id);
    assert.equal(first.port, port);
    assert.equal((await identified(two, id)).port, port + 1);
    await git(one.root, 'worktree', 'remove', '--force', first.path);
    await git(
      two.root,
      'worktree',
      'remove',
      '--force',
      (await git(two.root, 'worktree', 'list')).split('\n')[1]?.split(' ')[0] ?? '',
    );
    assert.equal((await identified(two, id)).port, port, 'a claim nobody holds up holds nothing');
  });

  it('is one of its own for each of many repositories that start the same name in one instant', async () => {
    const first = await project();
    const all = [first, await make(), await make()];
    const { id, port } = await quietName();
    const made = await Promise.all(all.map((one) => identified(one, id)));
    assert.deepEqual(new Set(made.map((one) => one.port)), new Set([port, port + 1, port + 2]));
  });

  it('is given though a claim is rubbish, and never where something else lies in place of the claims', async () => {
    const at = await project();
    await started(at.root);
    const ports = join(state, 'discern-vscode', 'ports');
    const { id, port } = await quietName();
    await writeFile(join(ports, `${port}.json`), '{"version":1,"git_dir":"/nowhere"}');
    assert.equal((await identified(at, id)).port, port);
    assert.match(await readFile(join(ports, `${port}.json`), 'utf8'), /"git_dir":".*worktrees/);
    assert.deepEqual(
      (await readdir(ports)).filter((name) => !name.endsWith('.json')),
      [],
      'nothing is left over',
    );
    await rm(ports, { recursive: true });
    await writeFile(ports, '');
    const before = await everything(at);
    refusedWith(await verb('start', at.root, {}), 'untrusted', /ports is not a directory/);
    assert.deepEqual(await everything(at), before, 'and what was made is taken back');
  });

  it('is claimed in the temp folder where the user’s own directory cannot be written to', async () => {
    const [one, two] = [await project(), await make()];
    process.env.XDG_STATE_HOME = '/dev/null/state';
    const { id, port } = await quietName();
    assert.equal((await identified(one, id)).port, port);
    assert.equal((await identified(two, id)).port, port + 1);
  });

  it('is in status with whether something listens on it', async () => {
    const at = await project();
    const { path, port } = await started(at.root);
    const of = async () => {
      const { worktrees } = succeeded(await verb('status', at.root));
      return worktrees.map((one) => [one.root, one.port, one.listening]);
    };
    assert.deepEqual(await of(), [
      [at.root, undefined, undefined],
      [path, port, false],
    ]);
    assert.ok(await listen(port ?? 0, '127.0.0.1'));
    assert.deepEqual(await of(), [
      [at.root, undefined, undefined],
      [path, port, true],
    ]);
  });
});

describe('The kernel’s list of sockets', () => {
  const line = (port: number, state: string) =>
    `   0: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 1 1 0000000000000000 100 0 0 10 0`;

  it('tells the ports that listen, and no others', () => {
    const sockets = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 65_535 }), fc.constantFrom('0A', '01', '06')),
    );
    fc.assert(
      fc.property(sockets, (all) => {
        const text = [
          '  sl  local_address rem_address   st',
          ...all.map(([port, st]) => line(port, st)),
          '',
        ].join('\n');
        assert.deepEqual(
          parseListening(text),
          all.filter(([, st]) => st === '0A').map(([port]) => port),
        );
      }),
    );
  });

  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), (text) => parseListening(text).every((port) => port >= 0 && port < 65_536)),
    );
  });
});
