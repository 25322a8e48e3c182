import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needsNoRoot } from '../../src/contract/traits.ts';
import type { Verb } from '../../src/contract/verbs.ts';
import { git, type Project, plainConfig, projects } from '../support/project.ts';
import { type Connection, connections, requiredArguments } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

interface Stand {
  project: Project;
  connection: Connection;
  worktree: string;
}

/** A server that holds a worktree. */
async function inWorktree(options?: Parameters<typeof make>[0]): Promise<Stand> {
  const project = await make(options);
  const connection = await open({ args: ['--root', project.root] });
  const { envelope, text } = await connection.call('discern_start', { name: 'soon gone' });
  assert.equal(envelope.ok, true, text);
  return { project, connection, worktree: envelope.data.path as string };
}

/** The tools that act on the held root; doctor finds out what is wrong with it, and help needs none. */
async function toolNames(connection: Connection): Promise<string[]> {
  const names = (await connection.tools()).map((tool) => tool.name);
  return names.filter(
    (name) => name !== 'discern_doctor' && !needsNoRoot(name.replace('discern_', '') as Verb),
  );
}

/** Every tool without `path` refuses, names the lost root and the landing checkout, and touches nothing. */
async function refusesEverything({ project, connection, worktree }: Stand): Promise<void> {
  const before = await git(project.root, 'for-each-ref');
  for (const tool of await toolNames(connection)) {
    const { envelope, text, isError } = await connection.call(tool, requiredArguments[tool]);
    assert.equal(envelope.error, 'root_missing', `${tool}: ${text}`);
    assert.equal(isError, true);
    assert.equal(envelope.data.root, worktree);
    assert.ok(envelope.message?.includes(worktree), text);
    assert.ok(envelope.message?.includes(`"${project.root}"`), text);
    assert.match(text, /held root: \S+ \(gone\)/);
  }
  const held = (await connection.resource('discern://root')) as { root: string; missing: boolean };
  assert.equal(held.root, worktree, 'it falls back to nothing');
  assert.equal(held.missing, true);
  for (const uri of ['discern://status', 'discern://config']) {
    assert.equal(((await connection.resource(uri)) as { error: string }).error, 'root_missing', uri);
  }
  assert.equal(await git(project.root, 'for-each-ref'), before);
}

describe('A held root that someone else removed', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is said to be missing by every tool after git worktree remove, until a start with path re-aims', async () => {
    const stand = await inWorktree();
    const { project, connection, worktree } = stand;
    await git(project.root, 'worktree', 'remove', '--force', worktree);
    await refusesEverything(stand);

    const elsewhere = await connection.call('discern_done', { path: project.root });
    assert.equal(elsewhere.envelope.ok, true, elsewhere.text);
    assert.equal(elsewhere.envelope.data.root, project.root);
    const still = await connection.call('discern_done');
    assert.equal(still.envelope.error, 'root_missing', 'one call with path moves nothing');

    const started = await connection.call('discern_start', { path: project.root });
    assert.equal(started.envelope.ok, true, started.text);
    const done = await connection.call('discern_test');
    assert.equal(done.envelope.ok, true, done.text);
    assert.equal(done.envelope.data.root, started.envelope.data.path);
  });

  it('is said to be missing after rm -rf, and when an empty directory stands in its place', async () => {
    const stand = await inWorktree();
    await rm(stand.worktree, { recursive: true });
    await refusesEverything(stand);
    await mkdir(stand.worktree, { recursive: true });
    await refusesEverything(stand);
  });

  it('is said to be missing when its place, inside the main checkout, holds files again', async () => {
    const stand = await inWorktree({
      config: `${plainConfig}\n[worktree]\nroot = ".trees"\n`,
      files: { '.gitignore': '.trees/\n' },
    });
    const { project, worktree } = stand;
    assert.ok(worktree.startsWith(`${project.root}/.trees/`), worktree);
    await git(project.root, 'worktree', 'remove', '--force', worktree);
    await mkdir(join(worktree, 'src'), { recursive: true });
    await refusesEverything(stand);
    // Even with a config of its own it is a directory of the main checkout, not the worktree that was started.
    await writeFile(join(worktree, 'discern.toml'), plainConfig);
    await refusesEverything(stand);
  });

  it('is said to be missing when the project is a package whose directory is gone', async () => {
    const project = await make({
      files: { 'packages/one/discern.toml': plainConfig, 'packages/one/src/a.txt': '' },
    });
    const root = join(project.root, 'packages/one');
    const connection = await open({ args: ['--root', root] });
    assert.equal((await connection.call('discern_status')).envelope.data.root, root);
    await rm(root, { recursive: true });
    const { envelope, text } = await connection.call('discern_done');
    assert.equal(envelope.error, 'root_missing', `not the gate of the repository's own project: ${text}`);
  });

  it('says so too when the whole repository went with it', async () => {
    const { project, connection, worktree } = await inWorktree();
    await rm(project.home, { recursive: true });
    const { envelope } = await connection.call('discern_status');
    assert.equal(envelope.error, 'root_missing');
    assert.match(envelope.message ?? '', /pass the path of another project/);
    assert.equal(envelope.data.root, worktree);
  });

  it('is alive again when its directory comes back', async () => {
    const { connection, worktree } = await inWorktree();
    await rename(worktree, `${worktree}-aside`);
    assert.equal((await connection.call('discern_test')).envelope.error, 'root_missing');
    await rename(`${worktree}-aside`, worktree);
    const { envelope, text } = await connection.call('discern_test');
    assert.equal(envelope.ok, true, text);
    assert.equal(envelope.data.root, worktree);
  });
});

describe('A held root that lives', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is not called missing when only its discern.toml went', async () => {
    const { connection, worktree } = await inWorktree();
    await rm(join(worktree, 'discern.toml'));
    const { envelope, text } = await connection.call('discern_done');
    assert.equal(envelope.error, 'not_initialized', text);
    assert.ok(envelope.message?.includes(worktree), text);
    assert.equal(((await connection.resource('discern://root')) as { missing: boolean }).missing, false);
  });

  it('is found where [worktree].root leads through a link', async () => {
    const project = await make();
    const [real, link] = [join(project.home, 'real'), join(project.home, 'link')];
    await mkdir(real);
    await symlink(real, link);
    await project.commit({ 'discern.toml': `${plainConfig}\n[worktree]\nroot = ${JSON.stringify(link)}\n` });
    const connection = await open({ args: ['--root', project.root] });
    const started = await connection.call('discern_start');
    assert.equal(started.envelope.ok, true, started.text);
    const { envelope, text } = await connection.call('discern_test');
    assert.equal(envelope.ok, true, text);
    assert.ok((envelope.data.root as string).startsWith(`${real}/`), text);
  });
});
