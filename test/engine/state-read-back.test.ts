import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const state = ({ root }: Project) => join(root, '.git/discern-vscode');

async function plant(project: Project, name: string, value: unknown): Promise<string> {
  const path = join(state(project), name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

/** Runs each verb that acts on what is written down, and returns what status and doctor say. */
async function lookAndAct(project: Project): Promise<string> {
  const { findings = [] } = succeeded(await verb('status', project.root));
  const doctor = await verb('doctor', project.root);
  await verb('prune', project.root, { dry_run: false });
  await started(project.root);
  await verb('status', project.root);
  return JSON.stringify([findings, doctor.data]);
}

describe('A repository that comes with records of ours in its git directory', () => {
  afterEach(removeAll);

  it('has no directory deleted or moved by the record of a landing', async () => {
    const project = await make();
    await project.commit({ 'b.txt': 'b\n' });
    const [to, from] = [
      await git(project.root, 'rev-parse', 'HEAD'),
      await git(project.root, 'rev-parse', 'HEAD~1'),
    ];
    const photos = join(project.home, '.photos.removed-01234567');
    await project.write({ '../.photos.removed-01234567/a.jpg': 'x', '../moved/b.jpg': 'y' });
    const planted = await plant(project, 'landing.json', {
      version: 1,
      id: '01234567',
      project: '',
      trunk: { name: 'main', ref: 'refs/heads/main' },
      from,
      to,
      landing: project.root,
      worktree: {
        path: join(project.home, 'photos'),
        branch: null,
        managed: true,
        trash: join(project.home, '.photos.removing-01234567'),
      },
    });
    const { findings = [] } = succeeded(await verb('status', project.root));
    assert.ok(
      findings.some(({ what }) => what.includes(planted) && what.includes('was not written by this user')),
      JSON.stringify(findings),
    );
    await lookAndAct(project);
    assert.deepEqual(await readdir(photos), ['a.jpg']);
    assert.deepEqual(await readdir(join(project.home, 'moved')), ['b.jpg']);
  });

  it('has no directory deleted by the record of an init, whatever it is called', async () => {
    const project = await make();
    await project.write({ '../init-proof-0123456789ab/a.txt': 'x' });
    const precious = join(project.home, 'init-proof-0123456789ab');
    const planted = await plant(project, 'init-proof.json', {
      version: 1,
      path: precious,
      directories: [join(project.home, 'empty')],
    });
    await mkdir(join(project.home, 'empty'));
    const said = await lookAndAct(project);
    assert.ok(said.includes(planted), said);
    assert.deepEqual(await readdir(precious), ['a.txt']);
    assert.ok((await readdir(project.home)).includes('empty'));
  });

  it('has no command run that a record of resources names', async () => {
    const project = await make();
    const id = 'work-abcdef';
    const planted = await plant(project, `resources/${id}.json`, {
      version: 1,
      id,
      slug: 'sample',
      port: 17_300,
      path: join(project.home, 'app.worktrees', id),
      git_dir: join(project.root, '.git/worktrees', id),
      timeout: 0,
      resources: [
        {
          name: 'db',
          state: 'ready',
          destroy: `touch ${join(project.home, 'ran')}`,
          required: true,
          retries: 0,
          gc: true,
        },
      ],
    });
    const said = await lookAndAct(project);
    assert.ok(said.includes(planted), said);
    await verb('drop', project.root, { worktree: id, delete_branch: true });
    assert.ok(!(await readdir(project.home)).includes('ran'));
  });

  it('has nothing deleted by the record of a removal', async () => {
    const project = await make();
    await project.write({ '../.photos.removed-01234567/a.jpg': 'x' });
    const planted = await plant(project, 'removals/01234567.json', {
      version: 1,
      id: '01234567',
      path: join(project.home, 'photos'),
      ino: '1',
    });
    const said = await lookAndAct(project);
    assert.ok(said.includes(planted), said);
    assert.deepEqual(await readdir(join(project.home, '.photos.removed-01234567')), ['a.jpg']);
  });

  it('has no record read through a link, and none that is no file', async () => {
    for (const how of ['link', 'directory'] as const) {
      const project = await make();
      await mkdir(state(project), { recursive: true });
      const path = join(state(project), 'landing.json');
      await project.write({ '../elsewhere.json': '{"version":1}' });
      if (how === 'link') await symlink(join(project.home, 'elsewhere.json'), path);
      else await mkdir(path);
      const { findings = [] } = succeeded(await verb('status', project.root));
      assert.ok(
        findings.some(({ what }) => what.includes(path) && what.includes('is not a regular file')),
        JSON.stringify(findings),
      );
      assert.equal(await readFile(join(project.home, 'elsewhere.json'), 'utf8'), '{"version":1}');
    }
  });
});

describe('A record that this user has written', () => {
  afterEach(removeAll);

  it('is not acted on once a path in it was changed', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    await killedAt('retire.judged', 'accept', path);
    const journal = join(state(project), 'landing.json');
    await project.write({ '../.photos.removed-01234567/a.jpg': 'x' });
    const text = await readFile(journal, 'utf8');
    const changed = text.replace(/"trash": ".*"/, `"trash": "${project.home}/.photos.removing-01234567"`);
    assert.notEqual(changed, text);
    await writeFile(journal, changed);
    const { findings = [] } = succeeded(await verb('status', project.root));
    assert.ok(
      findings.some(({ what }) => what.includes(journal)),
      JSON.stringify(findings),
    );
    assert.deepEqual(await readdir(join(project.home, '.photos.removed-01234567')), ['a.jpg']);
  });

  it('counts after its repository was moved, and not in a copy of it', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    await killedAt('accept.moved', 'accept', path);
    const copy = join(project.home, 'copy');
    await cp(project.root, copy, { recursive: true });
    const told = succeeded(await verb('status', copy));
    assert.equal(told.recovery, undefined);
    assert.ok(told.findings?.some(({ what }) => what.includes('was not written by this user')));
    const moved = join(project.home, 'moved');
    await rename(project.root, moved);
    assert.equal(succeeded(await verb('status', moved)).recovery?.performed, true);
  });
});

describe('A folder beside a worktree that is called like a leftover of ours', () => {
  afterEach(removeAll);

  for (const name of ['.photos.removed-20240131', '.photos.removing-20240131']) {
    it(`stays: ${name}`, async () => {
      const project = await make();
      await started(project.root);
      const folder = `${project.root}.worktrees`;
      await project.write({ [`../app.worktrees/${name}/a.jpg`]: 'x' });
      await lookAndAct(project);
      assert.deepEqual(await readdir(join(folder, name)), ['a.jpg']);
    });
  }

  it('stays where a removal of ours was cut off and something else has its name now', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    await killedAt('retire.forgotten', 'accept', path);
    const folder = `${project.root}.worktrees`;
    const [name = ''] = await readdir(folder);
    assert.match(name, /\.removed-/);
    await rename(join(folder, name), join(project.home, 'away'));
    await project.write({ [`../app.worktrees/${name}/a.jpg`]: 'x' });
    await lookAndAct(project);
    assert.deepEqual(await readdir(join(folder, name)), ['a.jpg']);
  });
});
