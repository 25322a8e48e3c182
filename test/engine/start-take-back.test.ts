import assert from 'node:assert/strict';
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { everything, refusedWith, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { awaits } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const setup = (step: string, rest = '') =>
  `[project]\nname = "x"\n[worktree]\nenv_files = [".env"]\ninherit_env = ["API"]\nport = true\n[worktree.setup]\nsteps = [${JSON.stringify(step)}]\n${rest}`;

/** Begins a start whose setup waits, lets `meanwhile` act in the new worktree, and lets the setup fail. */
async function failing(project: Project, meanwhile: (worktree: string) => Promise<unknown>) {
  const events: VerbEvent[] = [];
  const starting = verb('start', project.root, {}, { events });
  await until('the step runs', () => events.some(({ type }) => type === 'job_started'));
  const folder = `${project.root}.worktrees`;
  const [name = ''] = await readdir(folder);
  await meanwhile(join(folder, name));
  await writeFile(join(folder, 'go'), '');
  const answer = await starting;
  refusedWith(answer, 'gate_failed');
  await rm(folder, { recursive: true, force: true });
  return answer;
}

/** The directory an answer says something is kept in. */
const keptIn = (hints: readonly string[] = []) =>
  /is kept in (\S+): /.exec(hints.find((hint) => hint.includes('is kept in')) ?? '')?.[1] ?? '';

describe('A start whose setup fails', () => {
  afterEach(removeAll);

  it('keeps what someone wrote into the worktree meanwhile, and says where it lies', async () => {
    const project = await make({
      config: setup(`${awaits('go')}; false`),
      files: { '.gitignore': '.env\nscratch.txt\nnode_modules/\n' },
    });
    const before = await everything(project);
    const { hints } = await failing(project, async (worktree) => {
      const mine = {
        'notes/today.txt': 'mine\n',
        'src/a.txt': 'edited\n',
        'scratch.txt': 'ignored, and mine\n',
        'node_modules/x/index.js': 'made by a tool, or mine\n',
      };
      await project.write(mine, worktree);
    });
    const kept = keptIn(hints);
    assert.equal(await readFile(join(kept, 'notes/today.txt'), 'utf8'), 'mine\n');
    assert.equal(await readFile(join(kept, 'src/a.txt'), 'utf8'), 'edited\n');
    assert.equal(await readFile(join(kept, 'scratch.txt'), 'utf8'), 'ignored, and mine\n');
    assert.equal(await readFile(join(kept, 'node_modules/x/index.js'), 'utf8'), 'made by a tool, or mine\n');
    assert.deepEqual((await readdir(kept)).sort(), ['node_modules', 'notes', 'scratch.txt', 'src']);
    assert.deepEqual(await readdir(join(kept, 'src')), ['a.txt']);
    assert.deepEqual(await everything(project), before);
  });

  it('keeps an env file that someone edited after it was filled, and none that nobody did', async () => {
    const project = await make({
      config: setup(`${awaits('go')}; false`),
      files: { '.gitignore': '.env\n' },
    });
    await project.write({ '.env': 'API=secret\n' });
    const untouched = await failing(project, async (worktree) => {
      assert.match(await readFile(join(worktree, '.env'), 'utf8'), /API=secret/);
    });
    assert.equal(keptIn(untouched.hints), '');
    const edited = await failing(project, (worktree) => writeFile(join(worktree, '.env'), 'SECRET=mine\n'));
    assert.equal(await readFile(join(keptIn(edited.hints), '.env'), 'utf8'), 'SECRET=mine\n');
  });

  it('keeps a file beside an env file of ours in an ignored directory, and not that', async () => {
    const config = setup(`${awaits('go')}; false`).replace('".env"', '"secrets/.env"');
    const project = await make({ config, files: { '.gitignore': '/secrets/\n' } });
    await project.write({ 'secrets/.env': 'API=secret\n' });
    const { hints } = await failing(project, async (worktree) => {
      assert.match(await readFile(join(worktree, 'secrets/.env'), 'utf8'), /API=secret/);
      await project.write({ 'secrets/deep/mine.key': 'mine\n' }, worktree);
    });
    const kept = keptIn(hints);
    assert.equal(await readFile(join(kept, 'secrets/deep/mine.key'), 'utf8'), 'mine\n');
    assert.deepEqual(await readdir(join(kept, 'secrets')), ['deep']);
  });

  it('deletes no directory that somebody put in the place of the worktree', async () => {
    const project = await make({ config: setup(`${awaits('go')}; false`) });
    const away = join(project.home, 'away');
    const events: VerbEvent[] = [];
    const starting = verb('start', project.root, {}, { events });
    await until('the step runs', () => events.some(({ type }) => type === 'job_started'));
    const folder = `${project.root}.worktrees`;
    const [name = ''] = await readdir(folder);
    await rename(join(folder, name), away);
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'photo.jpg'), 'mine');
    await writeFile(join(project.home, 'go'), '');
    await writeFile(join(folder, 'go'), '');
    const answer = await starting;
    refusedWith(answer, 'gate_failed');
    assert.equal(await readFile(join(folder, name, 'photo.jpg'), 'utf8'), 'mine');
    assert.match(JSON.stringify(answer.hints), /is another directory than the one that was made/);
  });

  it('leaves what is kept for thirty days; then prune removes that, and nothing that took its name since', async () => {
    const project = await make({ config: setup('mkdir made; echo x > made/file; false') });
    const answers = [await verb('start', project.root), await verb('start', project.root)];
    const [first = '', second = ''] = answers.map(({ hints }) => keptIn(hints));
    await access(join(first, 'made/file'));
    await verb('prune', project.root, { dry_run: false });
    await access(join(first, 'made/file'));
    // As if a month had passed: time is in the record, which only this user can write.
    const { sealed } = await import('../../src/engine/state/seal.ts');
    await rename(second, `${second}.moved`);
    await mkdir(second);
    await writeFile(join(second, 'mine'), 'x');
    for (const dir of [first, second]) {
      const record = `${dir}.json`;
      const { seal: _seal, at: _at, ...value } = JSON.parse(await readFile(record, 'utf8'));
      // The worktree's own inode is free again, and may be that of what took the name.
      if (dir === second) value.inos[0] = String((await stat(second, { bigint: true })).ino);
      const text = await sealed(join(project.root, '.git'), 'kept', { ...value, since: 0 });
      await writeFile(record, text);
    }
    await verb('prune', project.root, { dry_run: false });
    await assert.rejects(access(first), { code: 'ENOENT' });
    assert.equal(await readFile(join(second, 'mine'), 'utf8'), 'x');
    assert.ok((await readdir(dirname(second))).includes(basename(`${second}.moved`)));
  });

  it('keeps all of it where it cannot be told what is whose, and says so', async () => {
    const project = await make({ config: setup(`${awaits('go')}; false`) });
    const { hints } = await failing(project, async (worktree) => {
      await project.write({ 'mine.txt': 'mine\n', '.gitattributes': '*.txt filter=broken\n' }, worktree);
      await git(project.root, 'config', 'filter.broken.clean', 'false');
      await git(project.root, 'config', 'filter.broken.required', 'true');
      await writeFile(join(worktree, 'src/a.txt'), 'edited\n');
    });
    const hint = hints?.find((one) => one.includes('all of it is kept in')) ?? '';
    const kept = /kept in (\S+)\.$/.exec(hint)?.[1] ?? '';
    assert.equal(await readFile(join(kept, 'mine.txt'), 'utf8'), 'mine\n', JSON.stringify(hints));
    assert.equal(await readFile(join(kept, 'src/a.txt'), 'utf8'), 'edited\n');
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
  });

  it('takes nothing of the checkout it was started from along', async () => {
    const project = await make({ config: setup('false') });
    await project.write({ 'mine.txt': 'mine\n' });
    await git(project.root, 'config', 'core.fileMode', 'false');
    const before = await everything(project);
    refusedWith(await verb('start', project.root), 'gate_failed');
    assert.deepEqual(await everything(project), before);
    await utimes(project.root, new Date(), new Date());
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? mine.txt');
    await git(project.root, 'worktree', 'prune');
    await project.commit({ 'discern.toml': '[project]\nname = "x"\n' });
    await started(project.root);
  });
});
