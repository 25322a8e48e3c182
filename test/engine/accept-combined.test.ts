import assert from 'node:assert/strict';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, listing, pausedAt, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A gate that fails where two files that are fine alone are both there, and says where it ran. */
const config = `[project]
name = "sample"

[jobs]
test = "pwd >> ../../ran; ! (test -f src/one.txt && test -f src/two.txt)"
`;

async function work(project: Project, name: string, files: Record<string, string>) {
  const { path, branch } = await started(project.root, { name });
  const commit = await project.commit(files, path, `The work of ${name}`);
  return { path, branch: branch ?? '', commit };
}

const proofOf = async ({ root }: Project, commit: string) => {
  const folder = join(root, '.git/discern-vscode/proofs');
  const [name] = (await readdir(folder)).filter((one) => one.startsWith(commit));
  return name === undefined ? undefined : JSON.parse(await readFile(join(folder, name), 'utf8'));
};

describe('accept of a branch that lacks commits of the trunk', () => {
  afterEach(removeAll);

  it('proves the two together in a checkout of its own, lands that commit, and leaves none of it', async () => {
    const project = await make({ config });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    const other = await work(project, 'other', { 'src/other.txt': 'o\n' });
    succeeded(await verb('done', other.path));
    succeeded(await verb('accept', one.path));
    const answer = await verb('accept', other.path);
    const { landed_commit: landed = '', landing } = succeeded(answer);
    assert.deepEqual(
      [landing.trunk_landed, landing.worktree_removed, landing.branch_deleted],
      [true, true, true],
    );
    assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${landed}\n${landed}`);
    assert.equal(
      await git(project.root, 'rev-parse', `${landed}^1`, `${landed}^2`),
      `${other.commit}\n${one.commit}`,
    );
    const proof = await proofOf(project, landed);
    assert.deepEqual([proof.commit, proof.trunk_commit], [landed, one.commit]);
    assert.match(
      answer.hints?.join('\n') ?? '',
      /together with what main had got meanwhile.*"The work of one" \(A Developer\)/,
    );
    const ran = (await readFile(join(project.home, 'ran'), 'utf8')).trim().split('\n');
    assert.match(
      ran.at(-1) ?? '',
      /app\.worktrees\/combined-[0-9a-f]{6}$/,
      'the last gate ran in its own checkout',
    );
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
    assert.deepEqual(await readdir(`${project.root}.worktrees`).catch(() => []), []);
    assert.deepEqual(await readdir(join(project.root, '.git/discern-vscode/own-checkouts')), []);
    assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
  });

  it('is refused when the two together are red, says whose change it met, and nothing has moved', async () => {
    const project = await make({ config });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    const two = await work(project, 'two', { 'src/two.txt': '2\n' });
    succeeded(await verb('done', two.path));
    succeeded(await verb('accept', one.path));
    const before = { ...(await everything(project)), files: await listing(two.path) };
    const answer = await verb('accept', two.path);
    refusedWith(
      answer,
      'gate_failed',
      /Nothing was landed.*together with what main has got.*"The work of one" \(A Developer\).*Call update/s,
    );
    assert.equal(answer.data?.landing?.trunk_landed, false);
    assert.deepEqual([answer.data?.root, answer.data?.commit], [two.path, two.commit]);
    assert.equal(answer.steps?.find(({ name }) => name === 'test')?.outcome, 'failed');
    assert.deepEqual({ ...(await everything(project)), files: await listing(two.path) }, before);
    assert.equal(succeeded(await verb('status', two.path)).proof.state, 'valid', 'its own proof stands');
  });

  for (const how of ['merge', 'squash', 'rebase'] as const) {
    it(`lands by ${how} too, with the proof of that very commit`, async () => {
      const project = await make();
      const one = await work(project, 'one', { 'src/one.txt': '1\n' });
      await project.commit({ 'src/more.txt': 'm\n' }, one.path, 'More');
      const trunk = await project.commit({ 'src/two.txt': '2\n' });
      const { landed_commit: landed = '' } = succeeded(await verb('accept', one.path, { how }));
      const count = how === 'squash' ? '1' : '2';
      assert.equal(
        await git(project.root, 'rev-list', '--count', '--first-parent', `${trunk}..main`),
        how === 'merge' ? '1' : count,
      );
      assert.equal((await proofOf(project, landed))?.trunk_commit, trunk);
      assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${one.commit}`), '', 'kept');
      assert.deepEqual((await git(project.root, 'ls-files', 'src')).split('\n'), [
        'src/a.txt',
        'src/more.txt',
        'src/one.txt',
        'src/two.txt',
      ]);
    });
  }

  it('brings a branch that stays up to date once it has landed, and not before', async () => {
    const project = await make({ config });
    const hosted = join(project.home, 'hosted');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'hosted', hosted);
    const commit = await project.commit({ 'src/two.txt': '2\n' }, hosted);
    await project.commit({ 'src/one.txt': '1\n' });
    refusedWith(await verb('accept', hosted), 'gate_failed');
    assert.equal(await git(hosted, 'rev-parse', 'hosted'), commit);
    const trunk = await project.commit({ 'discern.toml': config.replace('! (', '(') });
    const { landed_commit: landed = '' } = succeeded(await verb('accept', hosted));
    assert.equal(await git(hosted, 'rev-parse', 'hosted', 'HEAD', 'main'), `${landed}\n${landed}\n${landed}`);
    assert.equal(await git(hosted, 'status', '--porcelain'), '');
    await git(hosted, 'merge-base', '--is-ancestor', trunk, landed);
  });

  it('sets its checkout up as a start does: steps, own port, ignored files, and its resources are destroyed', async () => {
    const project = await make({
      config: `[project]
name = "sample"

[jobs]
test = "test -f made && test -f cache/big && test -n \\"$DISCERN_WORKTREE_PORT\\" && test -f ../../db-$DISCERN_RESOURCE_DB"

[worktree]
env_files = []

[worktree.setup]
steps = ["touch made"]

[worktree.resources.db]
create = "touch ../../db-@resource@"
destroy = "rm ../../db-@resource@"
`,
      files: { '.gitignore': 'made\ncache/\n', 'discern-vscode.toml': '[worktree]\ninclude = ["cache/"]\n' },
    });
    await project.write({ 'cache/big': 'x\n' });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    await project.commit({ 'src/two.txt': '2\n' });
    succeeded(await verb('accept', one.path));
    assert.deepEqual(
      (await readdir(project.home)).filter((name) => name.startsWith('db-')),
      [],
    );
    assert.deepEqual(await readdir(join(project.root, '.git/discern-vscode/resources')), []);
  });

  it('says which command failed where its checkout cannot be set up, and takes all of it back', async () => {
    const project = await make({
      config:
        '[project]\nname = "sample"\n\n[jobs]\ntest = "true"\n\n[worktree.setup]\nsteps = ["test ! -f src/two.txt"]\n',
    });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    const trunk = await project.commit({ 'src/two.txt': '2\n' });
    const answer = await verb('accept', one.path);
    refusedWith(answer, 'gate_failed', /could not be set up: "test ! -f src\/two\.txt" failed/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), trunk);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);
  });

  it('says in its preview what it would combine, and makes nothing', async () => {
    const project = await make();
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    await project.commit({ 'src/two.txt': '2\n' }, project.root, 'Met');
    const before = await everything(project);
    const { plan } = await verb('accept', one.path, { dry_run: true });
    const said = plan?.steps.map(({ action, detail }) => `${action} ${detail}`).join('\n') ?? '';
    assert.match(said, /combine with what main has got: [0-9a-f]+ "Met"/);
    assert.match(said, /run the gate on the two together/);
    assert.match(said, /files 1: src\/one\.txt/);
    assert.deepEqual(await everything(project), before);
  });

  it('retires a worktree whose work is further back on the trunk, without a gate', async () => {
    const project = await make({ config });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    await git(project.root, 'merge', '--quiet', '--ff-only', one.branch);
    const trunk = await project.commit({ 'src/later.txt': 'l\n' });
    const { landing } = succeeded(await verb('accept', one.path));
    assert.deepEqual([landing.worktree_removed, landing.branch_deleted], [true, true]);
    assert.equal(await git(project.root, 'rev-parse', 'main'), trunk);
    await assert.rejects(readFile(join(project.home, 'ran')));
  });

  it('refuses a worktree that has nothing of its own, though the trunk went on', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/later.txt': 'l\n' });
    refusedWith(await verb('accept', path), 'invalid_argument', /nothing to land/);
  });

  it('trusts no record of such a checkout that is not ours, and removes nothing for it', async () => {
    const project = await make();
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    const victim = join(project.home, 'combined-abcdef');
    await project.write({ 'precious.txt': 'p\n' }, victim);
    const folder = join(project.root, '.git/discern-vscode/own-checkouts');
    await project.write(
      {
        'combined-abcdef.json': JSON.stringify({
          version: 1,
          id: 'combined-abcdef',
          path: victim,
          directories: [victim],
        }),
      },
      folder,
    );
    const { findings } = succeeded(await verb('status', one.path));
    assert.ok(
      findings?.some(({ what }) => what.includes('combined-abcdef.json')),
      JSON.stringify(findings),
    );
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await readFile(join(victim, 'precious.txt'), 'utf8'), 'p\n');
  });

  it('combines again where the trunk moves before the gate begins', async () => {
    const project = await make();
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    await project.commit({ 'src/two.txt': '2\n' });
    const { resume } = await pausedAt(project, 'combine.claimed', 'accept', one.path, {});
    const moved = await project.commit({ 'src/three.txt': '3\n' });
    const answer = await resume();
    assert.equal(answer?.ok, true, answer?.message);
    assert.equal((await proofOf(project, answer?.data?.landed_commit ?? ''))?.trunk_commit, moved);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
  });

  it('makes no combination twice: what was proved with a trunk that moves again is proved anew', async () => {
    const project = await make({
      config: `[project]
name = "sample"

[jobs]
test = "echo x >> ../../ran; test $(wc -l < ../../ran) -gt 1 || git -C ../../app commit --quiet --allow-empty -m moved"
`,
    });
    const one = await work(project, 'one', { 'src/one.txt': '1\n' });
    await project.commit({ 'src/two.txt': '2\n' });
    const { landed_commit: landed = '' } = succeeded(await verb('accept', one.path));
    const moved = await git(project.root, 'log', '--format=%H', '--grep=^moved$', 'main');
    assert.equal((await proofOf(project, landed))?.trunk_commit, moved);
    assert.equal(await readFile(join(project.home, 'ran'), 'utf8'), 'x\nx\n');
    await appendFile(join(project.home, 'ran'), '');
  });
});
