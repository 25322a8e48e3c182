import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { orWhenAbsent } from '../../src/engine/files/files.ts';
import {
  elsewhere,
  endElsewhere,
  everything,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { log, logged } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const list = (commands: string[]) => JSON.stringify(commands);
/** Worktrees lie two levels below what `log` calls `..`, so their traces go to the folder of worktrees. */
const setup = (steps: string[], ensure: string[] = [], always: string[] = []) =>
  `[project]\nname = "x"\n[repository]\nensure = ${list(always)}\n[worktree.setup]\nsteps = ${list(steps)}\nensure = ${list(ensure)}\n[worktree]\nroot = ".."\n`;

describe('The setup of a new worktree', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  it('runs steps, then the ensures, in order, in the new root', async () => {
    const toml = setup(
      [`${log('one')}; pwd > ../where`, log('two')],
      [log('four')],
      [`${log('three')}; echo "$DISCERN_WORKTREE_ID $DISCERN_WORKTREE_PORT $DISCERN_ROOT" > ../env`],
    );
    const project = await make({ config: toml });
    const answer = await verb('start', project.root);
    const data = succeeded(answer);
    assert.deepEqual(await logged(project), ['one', 'two', 'three', 'four']);
    assert.equal((await readFile(join(project.home, 'where'), 'utf8')).trim(), data.path);
    assert.equal(
      (await readFile(join(project.home, 'env'), 'utf8')).trim(),
      `${data.id} ${data.port} ${data.path}`,
    );
    assert.deepEqual(
      answer.steps?.map(({ name, stage, outcome }) => [name, stage, outcome]),
      [
        ['worktree.setup.steps[0]', 'setup', 'passed'],
        ['worktree.setup.steps[1]', 'setup', 'passed'],
        ['repository.ensure[0]', 'setup', 'passed'],
        ['worktree.setup.ensure[0]', 'setup', 'passed'],
      ],
    );
  });

  it('that fails takes back exactly what was made, and shows what failed', async () => {
    const toml = setup(['true', 'echo broken here; mkdir -p deep/er; touch deep/er/file; exit 3', 'true']);
    const project = await make({ config: toml.replace('root = ".."', 'root = "../new/trees"') });
    const before = await everything(project);
    const answer = await verb('start', project.root);
    refusedWith(answer, 'gate_failed', /worktree was removed/);
    assert.equal(answer.steps?.[1]?.exit_code, 3);
    assert.match(await readFile(answer.steps?.[1]?.output_path ?? '', 'utf8'), /broken here/);
    assert.ok((answer.diagnostics?.length ?? 0) > 0);
    assert.deepEqual(await everything(project), before);
  });

  it('that fails leaves the neighbours and the folder they are in', async () => {
    const project = await make();
    const neighbour = await started(project.root, { name: 'neighbour' });
    await project.commit({ 'discern.toml': setup(['false']).replace('root = ".."', '') });
    const before = await everything(project);
    refusedWith(await verb('start', project.root), 'gate_failed');
    assert.deepEqual(await everything(project), before);
    succeeded(await verb('status', neighbour.path));
  });

  it('that fails takes the worktree back even when it locked it', async () => {
    const project = await make({ config: setup(['git worktree lock .; false']) });
    const before = await everything(project);
    refusedWith(await verb('start', project.root), 'gate_failed');
    assert.deepEqual(await everything(project), before);
  });

  it('that fails after it committed keeps the branch, since its commit is nowhere else', async () => {
    const step = 'git commit --quiet --allow-empty -m mine; false';
    const project = await make({ config: setup([step]) });
    refusedWith(await verb('start', project.root), 'gate_failed');
    const subjects = await git(project.root, 'log', '--branches=agent/*', '--format=%s', '-1');
    assert.equal(subjects, 'mine');
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
  });

  it('that runs out of time says so, and is taken back', async () => {
    const toml = `${setup(['sleep 60'])}[gate]\ntimeout = 0.3\n`;
    const project = await make({ config: toml });
    const before = await everything(project);
    refusedWith(await verb('start', project.root), 'timed_out', /ran out of time/);
    assert.deepEqual(await everything(project), before);
  });

  it('that is cancelled is taken back, and what it started has ended', async () => {
    const project = await make({ config: setup(['sleep 300', log('never')]) });
    const before = await everything(project);
    const controller = new AbortController();
    const events: VerbEvent[] = [];
    const starting = verb('start', project.root, {}, { signal: controller.signal, events });
    await until('the step runs', () => events.some(({ type }) => type === 'job_started'));
    controller.abort();
    refusedWith(await starting, 'cancelled', /worktree was removed/);
    assert.deepEqual(await everything(project), before);
  });

  it('is cancelled also while git still writes the files', async () => {
    const files = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
    // A filter makes git take its time for each file.
    const project = await make({ files });
    await project.commit({ '.gitattributes': 'many/* filter=slow\n' });
    await git(project.root, 'config', 'filter.slow.smudge', 'sleep 0.05; cat');
    const before = await everything(project);
    const controller = new AbortController();
    const starting = verb('start', project.root, {}, { signal: controller.signal });
    // Looked for in the file system: a git that lists worktrees fails on one that is only half registered.
    await until('git writes', async () =>
      (
        await readdir(`${project.root}.worktrees`, { recursive: true }).catch(orWhenAbsent<string[]>([]))
      ).some((name) => /many\/\d/.test(name)),
    );
    controller.abort();
    refusedWith(await starting, 'cancelled');
    assert.deepEqual(await everything(project), before);
  });

  it('copies the variables of [worktree].inherit_env and adds id and port', async () => {
    const toml = '[project]\nname = "x"\n[worktree]\nport = true\ninherit_env = ["TOKEN", "MISSING"]\n';
    const project = await make({ config: toml, files: { '.gitignore': '.env*\n' } });
    await writeFile(join(project.root, '.env'), 'TOKEN=old\nOTHER=1\n');
    await writeFile(join(project.root, '.env.local'), "export TOKEN='new'\r\n");
    const answer = await verb('start', project.root);
    const { path, id, port } = succeeded(answer);
    assert.equal(
      await readFile(join(path, '.env'), 'utf8'),
      `export TOKEN='new'\nDISCERN_WORKTREE_ID=${id}\nDISCERN_WORKTREE_PORT=${port}\n`,
    );
    assert.ok(answer.hints?.some((hint) => hint.startsWith('MISSING of [worktree].inherit_env')));
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('says when an env file it wrote makes the worktree unclean', async () => {
    const toml = '[project]\nname = "x"\n[worktree]\ninherit_env = ["A"]\nenv_files = ["settings.env"]\n';
    const project = await make({ config: toml });
    await writeFile(join(project.root, 'settings.env'), 'A=mine\nB=mine\n');
    const answer = await verb('start', project.root);
    const { path } = succeeded(answer);
    assert.equal(await readFile(join(path, 'settings.env'), 'utf8'), 'A=mine\n');
    assert.ok(answer.hints?.some((hint) => /does not ignore settings\.env/.test(hint)));
  });

  it('writes no value into an env file that git tracks, and says where it could go', async () => {
    const toml =
      '[project]\nname = "x"\n[worktree]\nport = true\ninherit_env = ["SECRET"]\nenv_files = ["./.env"]\n';
    const project = await make({
      config: toml,
      files: { '.env': 'SECRET=\n', '.gitignore': '.env.local\n' },
    });
    await writeFile(join(project.root, '.env'), 'SECRET=hush\n');
    const answer = await verb('start', project.root);
    const { path } = succeeded(answer);
    assert.equal(await readFile(join(path, '.env'), 'utf8'), 'SECRET=\n');
    assert.equal(await git(path, 'status', '--porcelain'), '');
    assert.ok(
      answer.hints?.some((hint) => /^SECRET was not written: git tracks \.\/\.env.*env_files/.test(hint)),
    );
  });

  it('writes a value past the file that git tracks into the next one it does not', async () => {
    const toml =
      '[project]\nname = "x"\n[worktree]\ninherit_env = ["SECRET"]\nenv_files = [".env", ".env.local"]\n';
    const project = await make({
      config: toml,
      files: { '.env': 'SECRET=\nA=1\n', '.gitignore': '.env.local\n' },
    });
    await writeFile(join(project.root, '.env.local'), 'SECRET=hush\n');
    const { path } = succeeded(await verb('start', project.root));
    assert.equal(await readFile(join(path, '.env'), 'utf8'), 'SECRET=\nA=1\n');
    assert.equal(await readFile(join(path, '.env.local'), 'utf8'), 'SECRET=hush\n');
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('is not begun again by a start elsewhere that was killed in it', async () => {
    const project = await make({ config: setup([`touch ../running; test -e ../quick || sleep 300`]) });
    const { child, ended } = elsewhere('start', project.root, { name: 'killed' });
    await until('the step runs', async () =>
      (await everything(project)).files.some((name) => name.startsWith('running')),
    );
    child.kill('SIGKILL');
    assert.equal(await ended, undefined);
    const { worktrees } = succeeded(await verb('status', project.root));
    const left = worktrees.find(({ id }) => id?.startsWith('killed-'));
    assert.ok(left, 'status shows what the killed start made');
    await writeFile(join(project.home, 'quick'), '');
    await started(project.root, { name: 'killed' });
    succeeded(await verb('drop', project.root, { worktree: left.id ?? '', delete_branch: true }));
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);
  });
});
