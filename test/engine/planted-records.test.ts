import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  access,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import * as z from 'zod';
import { loadConfig } from '../../src/engine/index.ts';
import { readRecordFile } from '../../src/engine/state/record.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { config, log, logged } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const state = ({ root }: Pick<Project, 'root'>) => join(root, '.git/discern-vscode');
const hash = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function put(path: string, text: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Where the proof of a checkout's commit lies, and what one says. */
async function proofOf(project: Project, path: string) {
  const [commit, tree, gitDir] = [
    await git(path, 'rev-parse', 'HEAD'),
    await git(path, 'rev-parse', 'HEAD^{tree}'),
    await git(path, 'rev-parse', '--absolute-git-dir'),
  ];
  const { digest } = await loadConfig(path);
  const proofs = join(state(project), 'proofs');
  return {
    commit,
    file: join(proofs, `${commit}-${hash('', digest)}.json`),
    latest: join(proofs, 'latest', `${hash(gitDir, '')}.json`),
    value: {
      version: 1,
      commit,
      tree,
      project: '',
      config_digest: digest,
      trunk: 'main',
      trunk_commit: await git(project.root, 'rev-parse', 'main'),
      gated_at: new Date().toISOString(),
      jobs: [{ name: 'test', stage: 'test', outcome: 'passed', duration_ms: 1 }],
    },
  };
}

describe('A proof that came with a repository', () => {
  afterEach(removeAll);

  it('is no green: status says why it does not count, and accept runs the gate', async () => {
    const project = await make({ config: config({ test: JSON.stringify(`${log('ran')}; false`) }) });
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    const { file, latest, value, commit } = await proofOf(project, path);
    await put(file, JSON.stringify(value));
    await put(latest, JSON.stringify(value));
    const { proof } = succeeded(await verb('status', path));
    assert.equal(proof?.state, 'stale');
    assert.match(proof?.reason ?? '', /was not written by this user in this repository/);
    const before = await git(project.root, 'rev-parse', 'main');
    refusedWith(await verb('accept', path), 'gate_failed');
    assert.deepEqual(await readdir(join(path, '..')), ['log', path.split('/').at(-1)].sort());
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    assert.notEqual(commit, before);
  });

  it('is replaced by one that was earned', async () => {
    const project = await make();
    const { file, value } = await proofOf(project, project.root);
    await put(file, JSON.stringify({ ...value, jobs: [] }));
    assert.equal(succeeded(await verb('done', project.root)).proof?.state, 'valid');
    assert.equal(succeeded(await verb('status', project.root)).proof?.state, 'valid');
  });

  it('is none where it was earned in another copy of the repository, or for another project of it', async () => {
    const project = await make({ files: { 'one/discern.toml': '[jobs]\n', 'two/discern.toml': '[jobs]\n' } });
    await verb('done', join(project.root, 'one'));
    const copy = join(project.home, 'copy');
    await cp(project.root, copy, { recursive: true });
    const copied = succeeded(await verb('status', join(copy, 'one'))).proof;
    assert.equal(copied?.state, 'stale');
    assert.match(copied?.reason ?? '', /not written by this user in this repository/);
    const proofs = join(state(project), 'proofs');
    const [name = ''] = (await readdir(proofs)).filter((one) => one.endsWith('.json'));
    const { digest } = await loadConfig(join(project.root, 'two'));
    const commit = await git(project.root, 'rev-parse', 'HEAD');
    await cp(join(proofs, name), join(proofs, `${commit}-${hash('two', digest)}.json`));
    assert.equal(succeeded(await verb('status', join(project.root, 'two'))).proof?.state, 'none');
    assert.equal(succeeded(await verb('status', join(project.root, 'one'))).proof?.state, 'valid');
  });

  const odd: Record<string, (file: string, project: Project) => Promise<unknown> | unknown> = {
    'a link to a proof that is ours': async (file, { home }) => {
      await rename(file, join(home, 'real.json'));
      await symlink(join(home, 'real.json'), file);
    },
    'a pipe': async (file) => {
      await rm(file);
      execFileSync('mkfifo', [file]);
    },
    'a directory': async (file) => {
      await rm(file);
      await mkdir(file);
    },
    'a file of many megabytes': async (file) => writeFile(file, ' '.repeat(3 * 1024 * 1024)),
    'of a version we do not know': async (file) =>
      writeFile(file, (await readFile(file, 'utf8')).replace('"version": 1', '"version": 2')),
    'a link to a device': async (file) => {
      await rm(file);
      await symlink('/dev/zero', file);
    },
  };
  for (const [what, change] of Object.entries(odd)) {
    it(`does not count where it is ${what}, and hangs nobody`, async () => {
      const project = await make();
      succeeded(await verb('done', project.root));
      const { file, latest } = await proofOf(project, project.root);
      await change(file, project);
      await rm(latest);
      assert.notEqual(succeeded(await verb('status', project.root)).proof?.state, 'valid');
      await mkdir(join(state(project), 'proofs/latest'), { recursive: true });
      execFileSync('mkfifo', [latest]);
      assert.notEqual(succeeded(await verb('status', project.root)).proof?.state, 'valid');
    });
  }
});

describe('A worktree that came with a record of ours', () => {
  afterEach(removeAll);

  /** A worktree made by hand, and the record of another one planted in it. */
  async function planted(project: Project, id: string) {
    const path = join(project.home, 'mine');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'mine', path);
    const record = join(project.root, '.git/worktrees/mine/discern-vscode.json');
    await writeFile(
      record,
      JSON.stringify({
        version: 1,
        id,
        branch: 'mine',
        base: 'main',
        base_commit: '0'.repeat(40),
        port: 17_500,
        slug: 'sample',
      }),
    );
    return { path, record };
  }

  it('is not removed by accept, which keeps it and its branch; the finding names the record and its remedy', async () => {
    const project = await make({ files: { '.gitignore': 'photos/\n' } });
    const { path, record } = await planted(project, 'mine-abcdef');
    await project.commit({ 'b.txt': 'b\n' }, path);
    await project.write({ 'photos/a.jpg': 'x' }, path);
    const { worktrees, findings = [] } = succeeded(await verb('status', path));
    assert.equal(worktrees.find((one) => one.path === path)?.managed, false);
    const finding = findings.find(({ what }) => what.includes(record));
    assert.match(finding?.what ?? '', /was not written by this user in this repository/);
    const { landing } = succeeded(await verb('accept', path));
    assert.deepEqual(
      [landing.trunk_landed, landing.worktree_removed, landing.branch_deleted],
      [true, false, false],
    );
    assert.equal(await readFile(join(path, 'photos/a.jpg'), 'utf8'), 'x');
    execFileSync('sh', ['-c', finding?.remedy ?? 'false']);
    assert.equal(succeeded(await verb('status', path)).findings, undefined);
  });

  it('costs no other worktree the resources that its record names', async () => {
    const project = await make({
      config: `${config({ test: '"true"' })}[worktree.resources.db]\ncreate = "true"\ndestroy = "touch ${'$'}{PWD}/../destroyed"\n`,
    });
    const { id } = await started(project.root);
    const { path } = await planted(project, id);
    const dropped = await verb('drop', project.root, { worktree: path, delete_branch: true, force: true });
    succeeded(dropped);
    assert.equal((await readdir(project.home)).includes('destroyed'), false);
    assert.deepEqual(await readdir(join(state(project), 'resources')), [`${id}.json`]);
  });

  it('hangs nobody where that is a pipe', async () => {
    const project = await make();
    const { path, record } = await planted(project, 'mine-abcdef');
    await rm(record);
    execFileSync('mkfifo', [record]);
    assert.equal(
      succeeded(await verb('status', path)).worktrees.find((one) => one.path === path)?.managed,
      false,
    );
    succeeded(await verb('done', path));
    await started(project.root);
  });
});

describe('A worktree of a release that sealed nothing', () => {
  afterEach(removeAll);

  /** A worktree with a resource, whose records are as such a release wrote them. */
  async function unsealed() {
    const toml = `${config({ test: JSON.stringify('echo "$DISCERN_WORKTREE_ID $DISCERN_WORKTREE_PORT" > ../named') })}[worktree.resources.db]\ncreate = "true"\ndestroy = "touch ../destroyed"\n`;
    const project = await make({ config: toml });
    const { path, id, port } = await started(project.root);
    const record = join(project.root, '.git/worktrees', id, 'discern-vscode.json');
    const ledger = join(state(project), 'resources', `${id}.json`);
    for (const file of [record, ledger]) {
      const { seal: _seal, at: _at, admin: _admin, ...value } = JSON.parse(await readFile(file, 'utf8'));
      await writeFile(file, JSON.stringify(value));
    }
    return { project, path, id, port, record, ledger };
  }

  it('keeps its name and port for its commands, and nothing is made to have them twice', async () => {
    const { project, path, id, port } = await unsealed();
    succeeded(await verb('done', path));
    const named = await readFile(join(path, '../named'), 'utf8');
    assert.equal(named.trim(), `${id} ${port}`);
    assert.notEqual((await started(project.root)).port, port);
    const { worktrees } = succeeded(await verb('status', path));
    const entry = worktrees.find((one) => one.path === path);
    assert.deepEqual([entry?.id, entry?.managed], [id, false]);
  });

  it('strands no resource: drop refuses until they are destroyed by hand, and says where they are written down', async () => {
    const { project, path, id, ledger } = await unsealed();
    const args = { worktree: id, delete_branch: true };
    for (const force of [false, true]) {
      const said = refusedWith(await verb('drop', project.root, { ...args, force }), 'untrusted');
      assert.ok(said.includes(ledger) && said.includes('destroy them by hand'), said);
    }
    assert.ok(await there(path));
    assert.equal(await there(join(path, '../destroyed')), false);
    await project.commit({ 'b.txt': 'b\n' }, path);
    await rm(ledger);
    const { landing } = succeeded(await verb('accept', path));
    assert.deepEqual([landing.trunk_landed, landing.worktree_removed], [true, false]);
    assert.equal(succeeded(await verb('drop', project.root, args)).worktree_removed, true);
  });

  it('lands its work and stays, with what it has', async () => {
    const { project, path, ledger } = await unsealed();
    await project.commit({ 'b.txt': 'b\n' }, path);
    const before = await git(project.root, 'rev-parse', 'main');
    const preview = await verb('accept', path, { dry_run: true });
    const answer = await verb('accept', path);
    assert.equal(preview.ok, true, preview.message);
    assert.equal(succeeded(answer).landing.worktree_removed, false);
    assert.notEqual(await git(project.root, 'rev-parse', 'main'), before);
    assert.ok(await there(path));
    assert.ok(await there(ledger));
  });
});

describe('Marks, measurements and outputs that came with a repository', () => {
  afterEach(removeAll);

  it('make no directory a leftover of a start', async () => {
    const project = await make();
    const { path: kept } = await started(project.root);
    const empty = join(`${project.root}.worktrees`, 'mine-abcdef');
    await mkdir(empty);
    const id = kept.split('/').at(-1);
    for (const one of ['mine-abcdef', id]) {
      const holder = { pid: 99_999_999, started: '1', host: 'x', nonce: 'a', purpose: 'x' };
      const lock = await put(join(state(project), 'locks', `start-${one}.lock`), JSON.stringify(holder));
      await utimes(lock, new Date(0), new Date(0));
    }
    const { findings } = succeeded(await verb('status', project.root));
    assert.equal(findings, undefined, JSON.stringify(findings));
    await verb('prune', project.root, { dry_run: false });
    assert.ok(await there(empty));
  });

  it('stand for no measurement: the standard is measured', async () => {
    const toml = `${config({ test: '"true"' })}[standards.s]\ndirection = "down"\nlimit = 5\ninputs = ["src/"]\nrun = ${JSON.stringify('touch ../measured; echo DISCERN_METRIC s 3')}\n`;
    const project = await make({ config: toml });
    const first = succeeded(await verb('done', project.root));
    assert.equal(first.standards?.[0]?.value, 3);
    const dir = join(state(project), 'standards');
    const [name = ''] = await readdir(dir);
    const text = await readFile(join(dir, name), 'utf8');
    assert.match(text, /"value":3/);
    await rm(join(project.home, 'measured'));
    // On a clean tree a receipt would stand in.
    await writeFile(join(project.root, 'pending.txt'), '');
    const again = succeeded(await verb('done', project.root));
    assert.ok(again.standards?.[0]?.replayed_from, 'our own measurement stands');
    await writeFile(join(dir, name), text.replaceAll('"value":3', '"value":1'));
    const planted = succeeded(await verb('done', project.root));
    assert.equal(planted.standards?.[0]?.replayed_from, undefined);
    assert.equal(planted.standards?.[0]?.value, 3);
    assert.ok(await there(join(project.home, 'measured')));
    await rm(join(dir, name));
    execFileSync('mkfifo', [join(dir, name)]);
    refusedWith(await verb('done', project.root), 'untrusted', /is not a regular file/);
  });

  it('have no directory deleted that no run of ours made', async () => {
    const project = await make();
    const runs = join(state(project), 'runs');
    const old = new Date(Date.now() - 24 * 60 * 60 * 1000);
    for (let n = 0; n < 60; n++) {
      const dir = join(runs, `2020-01-01T00-00-${String(n).padStart(4, '0')}Z-done-abc`);
      await put(join(dir, 'photo.jpg'), 'x');
      await utimes(join(dir, 'photo.jpg'), old, old);
      await utimes(dir, old, old);
    }
    succeeded(await verb('done', project.root));
    await verb('prune', project.root, { dry_run: false });
    assert.equal((await readdir(runs)).length, 61);
  });
});

describe('A directory of ours that is a link', () => {
  afterEach(removeAll);

  for (const name of ['', 'runs', 'locks', 'proofs', 'standards', 'removals']) {
    it(`is written and deleted through by nobody: discern-vscode/${name}`, async () => {
      const toml = `${config({ test: '"true"' })}[standards.s]\ndirection = "down"\nlimit = 5\nrun = "echo DISCERN_METRIC s 3"\n`;
      const project = await make({ config: toml });
      const { path } = await started(project.root);
      await project.commit({ 'b.txt': 'b\n' }, path);
      const place = join(state(project), name);
      const elsewhere = join(project.home, 'photos');
      await rm(place, { recursive: true, force: true });
      const old = new Date(Date.now() - 24 * 60 * 60 * 1000);
      for (let n = 0; n < 50; n++) {
        await put(join(elsewhere, `${n}`, 'a.jpg'), 'x');
        await utimes(join(elsewhere, `${n}`, 'a.jpg'), old, old);
        await utimes(join(elsewhere, `${n}`), old, old);
      }
      await symlink(elsewhere, place);
      const before = await everything(project);
      for (const [what, at] of [
        ['done', path],
        ['accept', path],
      ] as const) {
        const answer = await verb(what, at);
        if (what === 'done' && name === 'removals') continue;
        refusedWith(answer, 'untrusted');
        assert.ok(answer.message?.includes(place.replace(/\/$/, '')), answer.message);
      }
      await verb('start', project.root, { name: 'x' });
      await verb('prune', project.root, { dry_run: false });
      await verb('drop', project.root, { worktree: path, delete_branch: true, force: true });
      const { findings = [] } = succeeded(await verb('status', project.root));
      assert.ok(
        findings.some(({ what }) => what.includes(place.replace(/\/$/, ''))),
        JSON.stringify(findings),
      );
      const after = await everything(project);
      const photos = (files: string[]) => files.filter((file) => file.startsWith('photos'));
      assert.deepEqual(photos(after.files), photos(before.files));
      assert.equal(
        await git(project.root, 'rev-parse', 'main'),
        await git(project.root, 'rev-parse', 'HEAD'),
      );
    });
  }
});

describe('A record of a landing that is not ours', () => {
  afterEach(removeAll);

  it('is not overwritten by accept, which says what to do; put aside it is kept, also a second one', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    const before = await git(project.root, 'rev-parse', 'main');
    for (const text of ['{"version":1,"first":true}', '{"version":1,"second":true}']) {
      const journal = await put(join(state(project), 'landing.json'), text);
      for (const args of [{ dry_run: true }, {}]) {
        const answer = await verb('accept', path, args);
        refusedWith(answer, 'untrusted', /discern prune --no-dry-run/);
        assert.ok(answer.message?.includes(journal), answer.message);
      }
      assert.equal(await readFile(journal, 'utf8'), text);
      assert.equal(await git(project.root, 'rev-parse', 'main'), before);
      succeeded(await verb('prune', project.root, { dry_run: false }));
      assert.equal(await there(journal), false);
    }
    const aside = (await readdir(state(project))).filter((name) => name.startsWith('landing.json'));
    assert.equal(aside.length, 2);
    succeeded(await verb('accept', path));
  });

  it('and of a later version is left to that one', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    const journal = await put(join(state(project), 'landing.json'), '{"version":2}');
    refusedWith(await verb('accept', path), 'untrusted', /later version/);
    await verb('prune', project.root, { dry_run: false });
    assert.equal(await readFile(journal, 'utf8'), '{"version":2}');
    const { findings = [] } = succeeded(await verb('status', project.root));
    const finding = findings.find(({ what }) => what.includes(journal));
    execFileSync('sh', ['-c', finding?.remedy ?? 'false']);
    succeeded(await verb('accept', path));
  });
});

describe('Whatever lies where a record of ours would', () => {
  afterEach(removeAll);

  it('is no record of ours, and is never an error', async () => {
    const project = await make();
    const commonDir = join(project.root, '.git');
    const path = join(state(project), 'any.json');
    const kind = { name: 'any', schema: z.object({ version: z.literal(1) }) };
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          version: fc.constant(1),
          seal: fc.oneof(fc.string(), fc.constant('0'.repeat(64)), fc.anything()),
          at: fc.oneof(fc.constant({ path: commonDir, ino: '1' }), fc.anything()),
        })
        .map((value) => Buffer.from(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? 1 : one)))),
    );
    await mkdir(state(project), { recursive: true });
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        await writeFile(path, some);
        const found = await readRecordFile(commonDir, path, kind);
        assert.ok(found && 'distrust' in found, JSON.stringify(found));
      }),
      { numRuns: 200 },
    );
  });
});

describe('What a landing leaves to others', () => {
  afterEach(removeAll);

  it('counts still after all of this: a whole piece of work goes through', async () => {
    const project = await make({ config: config({ test: JSON.stringify(log('test')) }) });
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    succeeded(await verb('done', path));
    const { landing } = succeeded(await verb('accept', path));
    assert.equal(landing.worktree_removed, true);
    assert.deepEqual(await logged({ home: `${project.root}.worktrees` }), ['test']);
  });
});
