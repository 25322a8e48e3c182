import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcceptData, VerifyData } from '../../src/contract/data.ts';
import { programOnPath } from '../../src/engine/process/program.ts';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { json } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();
const REF = 'refs/notes/discern';

/** A project, with a worktree that has a commit ready to land. */
async function ready(
  config: Record<string, string> = {},
  more = '',
): Promise<{ project: Project; path: string }> {
  const project = await make({
    config: `[jobs]\nlint = "true"\ntest = "echo ran >> ../ran"\n${more}`,
    files: { '.gitignore': 'x\n' },
  });
  for (const [name, value] of Object.entries(config)) await git(project.root, 'config', name, value);
  const { path } = succeeded(await verb('start', project.root, { name: 'work' }));
  await project.commit({ 'src/b.txt': 'b\n' }, path);
  return { project, path };
}

async function land(path: string) {
  const answer = await verb('accept', path);
  const hints = (answer.hints ?? []).filter((hint) => hint.includes(REF));
  return { ...(succeeded(answer) as AcceptData), hints };
}

const verified = async (root: string, commit?: string) =>
  succeeded(await verb('verify', root, commit === undefined ? {} : { commit })) as VerifyData;

/** What is noted on an object, as a stranger reads it. */
async function noted(root: string, object: string) {
  const envelope = JSON.parse(await git(root, 'notes', `--ref=${REF}`, 'show', object));
  return { envelope, statement: JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')) };
}

/** Puts another note in place of the one on a commit and its tree. */
async function replace(root: string, commit: string, text: string) {
  const file = join(root, '../note');
  await writeFile(file, text);
  const tree = await git(root, 'rev-parse', `${commit}^{tree}`);
  for (const object of [commit, tree])
    await git(root, 'notes', `--ref=${REF}`, 'add', '-f', '-F', file, object);
}

const enclosed = (statement: unknown, signatures: unknown[] = []) =>
  JSON.stringify({
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(JSON.stringify(statement)).toString('base64'),
    signatures,
  });

const has = (program: string) => programOnPath(program, process.env.PATH, false) !== undefined;

/** On a machine without the program that signs, the note is there, unsigned, and that is told with the reason. */
async function toldUnsigned(root: string, hints: readonly string[], why: RegExp): Promise<void> {
  assert.match(hints.join(), why);
  assert.equal((await verified(root)).signature, 'unsigned');
}

describe('A landing', () => {
  let keys: string;
  before(async () => {
    keys = await mkdtemp(join(tmpdir(), 'discern-keys-'));
    await writeFile(join(keys, 'none'), '');
    if (!has('ssh-keygen')) return;
    for (const name of ['mine', 'other'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(keys, name)]);
    const mine = (await readFile(join(keys, 'mine.pub'), 'utf8')).trim();
    await writeFile(join(keys, 'allowed'), `dev@example.invalid ${mine}\n`);
  });
  after(() => rm(keys, { recursive: true }));
  afterEach(removeAll);

  const signing = () => ({
    'gpg.format': 'ssh',
    'user.signingkey': join(keys, 'mine'),
    'gpg.ssh.allowedSignersFile': join(keys, 'allowed'),
  });

  it('notes what was proved, on the commit and on its tree, as an in-toto statement that names no path of this machine', async () => {
    const { project, path } = await ready();
    await git(project.root, 'notes', '--ref=discern', 'add', '-m', 'a note of a person', 'HEAD');
    const before = await git(project.root, 'rev-parse', 'HEAD');
    const { landed_commit: landed = '', hints } = await land(path);
    assert.deepEqual(hints, []);
    const tree = await git(project.root, 'rev-parse', `${landed}^{tree}`);
    const { envelope, statement } = await noted(project.root, landed);
    assert.deepEqual(await noted(project.root, tree), { envelope, statement });
    assert.equal(await git(project.root, 'notes', '--ref=discern', 'show', before), 'a note of a person');
    assert.equal(envelope.payloadType, 'application/vnd.in-toto+json');
    assert.deepEqual(envelope.signatures, []);
    assert.equal(statement._type, 'https://in-toto.io/Statement/v1');
    assert.equal(statement.predicateType, 'https://in-toto.io/attestation/test-result/v0.1');
    assert.deepEqual(statement.subject, [{ name: 'app', digest: { gitTree: tree, gitCommit: landed } }]);
    assert.equal(statement.predicate.result, 'PASSED');
    assert.deepEqual(statement.predicate.passedTests, ['lint', 'test']);
    assert.ok(!JSON.stringify(statement).includes(project.home));

    const data = await verified(project.root);
    assert.deepEqual(
      [data.verified, data.tree, data.signature, data.jobs],
      [landed, tree, 'unsigned', ['lint', 'test']],
    );
    const squashed = await git(project.root, 'commit-tree', tree, '-m', 'the same tree');
    assert.equal((await verified(project.root, squashed)).verified, squashed);
    refusedWith(await verb('verify', project.root, { commit: before }), 'untrusted', /is no signed envelope/);
    refusedWith(await verb('verify', project.root, { commit: 'no-such' }), 'unknown_ref');
    refusedWith(await verb('verify', project.root, { commit: '--all' }), 'unknown_ref');
  });

  it('signs that with the SSH key git signs with, and who checks it says whose that is', async () => {
    const { project, path } = await ready(signing());
    const { landed_commit: landed = '', hints } = await land(path);
    if (!has('ssh-keygen')) return toldUnsigned(project.root, hints, /ssh-keygen could not sign/);
    assert.deepEqual(hints, []);
    const good = await verified(project.root);
    assert.equal(good.signature, 'good');
    assert.match(good.signer ?? '', /^dev@example\.invalid \(SHA256:\S+\)$/);
    await git(project.root, 'config', 'gpg.ssh.allowedSignersFile', join(keys, 'none'));
    const unknown = await verified(project.root);
    assert.equal(unknown.signature, 'unknown_key');
    assert.match(unknown.signer ?? '', /^SHA256:/);

    await git(project.root, 'config', 'gpg.ssh.allowedSignersFile', join(keys, 'allowed'));
    const revocations = (file: string) =>
      git(project.root, 'config', 'gpg.ssh.revocationFile', join(keys, file));
    await revocations('other.pub');
    assert.equal((await verified(project.root)).signature, 'good', 'another key was revoked');
    for (const file of ['mine.pub', 'no-such-list']) {
      await revocations(file);
      refusedWith(
        await verb('verify', project.root),
        'untrusted',
        /gpg\.ssh\.revocationFile does not let SHA256:\S+ pass/,
      );
    }
    await git(project.root, 'config', '--unset', 'gpg.ssh.revocationFile');

    const { envelope, statement } = await noted(project.root, landed);
    statement.predicate.discern.jobs[0].duration_ms++;
    await replace(project.root, landed, enclosed(statement, envelope.signatures));
    refusedWith(await verb('verify', project.root), 'untrusted', /its signature is wrong/);
  });

  it('signs with GPG where that is what git signs with, and stands where signing fails, which is told', async function () {
    this.timeout(120_000);
    const home = await mkdtemp(join(tmpdir(), 'dgpg-'));
    const before = process.env.GNUPGHOME;
    process.env.GNUPGHOME = home;
    try {
      if (!has('gpg')) {
        const { project, path } = await ready({ 'user.signingkey': 'note@example.invalid' });
        return await toldUnsigned(project.root, (await land(path)).hints, /gpg could not sign/);
      }
      const id = 'Note Test <note@example.invalid>';
      execFileSync(
        'gpg',
        ['--batch', '--quiet', '--passphrase', '', '--quick-gen-key', id, 'ed25519', 'sign', 'never'],
        {
          stdio: 'ignore',
        },
      );
      const { project, path } = await ready({ 'user.signingkey': 'note@example.invalid' });
      assert.deepEqual((await land(path)).hints, []);
      const good = await verified(project.root);
      assert.equal(good.signature, 'good');
      assert.match(good.signer ?? '', /^Note Test <note@example\.invalid> \([0-9A-F]+\)$/);

      const missing = await ready({ 'user.signingkey': 'nobody@example.invalid' });
      const { hints } = await land(missing.path);
      assert.match(
        hints.join(),
        /^The note in refs\/notes\/discern is unsigned: gpg could not sign: .*nobody/,
      );
      assert.equal((await verified(missing.project.root)).signature, 'unsigned');
    } finally {
      if (has('gpg')) execFileSync('gpgconf', ['--kill', 'all']);
      if (before === undefined) delete process.env.GNUPGHOME;
      else process.env.GNUPGHOME = before;
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it('stands where no note can be written, which is told', async () => {
    const { project, path } = await ready();
    await writeFile(join(project.root, '.git/refs/notes'), 'in the way');
    const answer = await verb('accept', path);
    assert.equal(succeeded(answer).landing.worktree_removed, true);
    assert.match(answer.hints?.join() ?? '', /No note was written in refs\/notes\/discern: /);
  });

  it('believes no note that does not parse, or is of something else, or leaves a job out', async () => {
    const { project, path } = await ready();
    const { landed_commit: landed = '' } = await land(path);
    const { statement } = await noted(project.root, landed);
    const changed = (edit: (copy: typeof statement) => void) => {
      const copy = structuredClone(statement);
      edit(copy);
      return enclosed(copy);
    };
    const lies: [note: string, says: RegExp][] = [
      ['not JSON', /is no signed envelope of a statement/],
      ['{"payloadType":"x","payload":"!","signatures":[]}', /is no signed envelope/],
      [enclosed({ any: 'thing' }), /is no statement of a test result/],
      [changed((one) => (one.subject[0].digest.gitTree = '0'.repeat(40))), /is of another tree/],
      [changed((one) => (one.predicate.discern.project = 'lib')), /is of another project/],
      [changed((one) => (one.predicate.configuration[0].digest.sha256 = '0')), /is of another discern\.toml/],
      [
        changed((one) => (one.predicate.discern.jobs[0].outcome = 'failed')),
        /says that the gate did not pass/,
      ],
      [changed((one) => (one.predicate.result = 'FAILED')), /says that the gate did not pass/],
      [changed((one) => one.predicate.discern.jobs.pop()), /does not name the job test/],
      [
        enclosed(statement, [{ keyid: 'k', sig: 'AAAA' }]),
        /its signature is wrong \(it is of no kind we know\)/,
      ],
    ];
    for (const [note, says] of lies) {
      await replace(project.root, landed, note);
      refusedWith(await verb('verify', project.root), 'untrusted', says);
    }
    await replace(project.root, landed, enclosed(statement));
    assert.equal((await verified(project.root)).signature, 'unsigned');
  });

  it('believes none that leaves out what else a gate of its tree runs: a generator, a standard, the gate of a scope', async () => {
    const { project, path } = await ready(
      {},
      `[generated.list]
paths = ["list.txt"]
run = "cp src/a.txt list.txt"
[standards.size]
direction = "down"
limit = 9
run = "echo DISCERN_METRIC size 1"
[standards.rare]
direction = "down"
limit = 9
run = "echo DISCERN_METRIC rare 1"
measure = "on-demand"
[scopes.web]
paths = ["web/**"]
gate = "true"
[scopes.docs]
paths = ["docs/**"]
gate = "true"
`,
    );
    const text = await readFile(join(path, 'src/a.txt'), 'utf8');
    await project.commit({ 'web/x.txt': 'x\n', 'list.txt': text }, path);
    const { landed_commit: landed = '' } = await land(path);
    const names = ['lint', 'test', 'generated:list', 'standard:size', 'scope:web'];
    assert.deepEqual(new Set((await verified(project.root)).jobs), new Set(names));
    const { statement } = await noted(project.root, landed);
    const without = (name: string) => {
      const copy = structuredClone(statement);
      const { discern } = copy.predicate;
      discern.jobs = discern.jobs.filter((job: { name: string }) => job.name !== name);
      return copy;
    };
    for (const name of names) {
      await replace(project.root, landed, enclosed(without(name)));
      refusedWith(
        await verb('verify', project.root),
        'untrusted',
        new RegExp(`does not name the .*${name.split(':').pop()}`),
      );
    }
    const elsewhere = without('scope:web');
    elsewhere.predicate.discern.trunk_commit = '1'.repeat(40);
    await replace(project.root, landed, enclosed(elsewhere));
    refusedWith(await verb('verify', project.root), 'untrusted', /it was judged against is not here/);
  });

  it('names a standard that an earlier measurement stood in for', async () => {
    const { project, path } = await ready(
      {},
      `[standards.size]
direction = "down"
limit = 9
producer = "jobs.test"
inputs = ["src/**"]
`,
    );
    await project.commit(
      {
        'discern.toml': (await readFile(join(path, 'discern.toml'), 'utf8')).replace(
          'echo ran >> ../ran',
          'echo DISCERN_METRIC size 1',
        ),
      },
      path,
    );
    succeeded(await verb('done', path));
    await project.commit({ 'other.txt': 'no input\n' }, path);
    await land(path);
    assert.ok((await verified(project.root)).jobs.includes('standard:size'));
    const { statement } = await noted(project.root, 'main');
    const size = statement.predicate.discern.jobs.find(
      ({ name }: { name: string }) => name === 'standard:size',
    );
    assert.equal(size.replayed_from, await git(project.root, 'rev-parse', 'main~1'));
  });

  it('lets a job in CI reuse the signed note of the same tree in a clone, and run the gate for any other', async () => {
    const { project, path } = await ready(signing());
    const { hints: landed } = await land(path);
    if (!has('ssh-keygen')) return toldUnsigned(project.root, landed, /ssh-keygen could not sign/);
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    assert.equal(await git(hub, 'for-each-ref', REF), '', 'nothing is published by itself');
    await git(project.root, 'push', '--quiet', hub, REF);
    const ci = join(project.home, 'runner', 'ci');
    await git(project.home, 'clone', '--quiet', hub, ci);
    const ran = () => readFile(join(project.home, 'runner', 'ran'), 'utf8').catch(() => '');
    const done = async () => (await json(['done', '--ci'], { cwd: ci })).envelope;

    assert.match(
      (await done()).hints?.join() ?? '',
      /The gate ran, since no note proves this tree: there is none/,
    );
    assert.equal(await ran(), 'ran\n');
    await git(ci, 'fetch', '--quiet', 'origin', `${REF}:${REF}`);
    assert.match(
      (await done()).hints?.join() ?? '',
      /The gate ran, since the note on this tree is signed with a key nobody here/,
    );
    assert.equal(await ran(), 'ran\nran\n');
    await git(ci, 'config', 'gpg.ssh.allowedSignersFile', join(keys, 'allowed'));
    const reused = await done();
    assert.equal(reused.ok, true, reused.message);
    assert.match(
      reused.message ?? '',
      /^Nothing was run: the gate passed on this very tree at .*signed by dev@example\.invalid/,
    );
    assert.equal(await ran(), 'ran\nran\n');
    await writeFile(join(ci, 'src/a.txt'), 'other\n');
    assert.match((await done()).hints?.join() ?? '', /the tree is not just its commit/);
    await project.commit({}, ci);
    assert.match((await done()).hints?.join() ?? '', /no note proves this tree/);
    assert.equal(await ran(), 'ran\nran\nran\nran\n');
  });

  it('has an unsigned note believed in CI where the trunk says so, and never by the word of a branch', async () => {
    const { project, path } = await ready();
    await land(path);
    const done = async (root: string) => (await json(['done', '--ci'], { cwd: root })).envelope;
    assert.match((await done(project.root)).hints?.join() ?? '', /the note on this tree is unsigned/);
    const settings = { 'discern-vscode.toml': '[ci]\nunsigned_notes = true\n' };
    const branch = succeeded(await verb('start', project.root, { name: 'grants itself' })).path;
    const own = await project.commit(settings, branch);
    const note = await noted(project.root, 'main');
    const tree = await git(branch, 'rev-parse', 'HEAD^{tree}');
    note.statement.subject[0].digest = { ...note.statement.subject[0].digest, gitCommit: own, gitTree: tree };
    await replace(project.root, own, enclosed(note.statement));
    assert.match((await done(branch)).hints?.join() ?? '', /the note on this tree is unsigned/);
    succeeded(await verb('accept', branch));
    assert.match((await done(project.root)).message ?? '', /^Nothing was run: .*unsigned/);
  });

  it('has git fetch bring the notes of other clones where the project says so, and asks no network', async () => {
    const { project, path } = await ready({}, '[repository]\nproof_notes_mode = "fetch"\n');
    await git(project.root, 'remote', 'add', 'origin', join(project.home, 'nowhere.git'));
    await land(path);
    const fetches = await git(project.root, 'config', '--get-all', 'remote.origin.fetch');
    assert.ok(fetches.split('\n').includes(`+${REF}*:refs/discern/remotes/origin/notes*`));
    const hub = join(project.home, 'nowhere.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    await git(project.root, 'push', '--quiet', 'origin', REF);
    await git(project.root, 'update-ref', '-d', REF);
    await git(project.root, 'fetch', '--quiet', 'origin');
    assert.equal((await verified(project.root)).note, 'refs/discern/remotes/origin/notes');
  });
});
