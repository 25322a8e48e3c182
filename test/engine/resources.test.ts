import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { logged } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { forbid, resource, there, withTables, writtenDown } from '../support/resources.ts';

const { make, removeAll } = projects();

/** A project with resources, one worktree of it with a commit of its own, and an empty log. */
async function working(
  toml: string,
): Promise<{ project: Project; path: string; id: string; commit: string }> {
  const project = await make({ config: toml });
  const { path, id } = await started(project.root, { name: 'work' });
  const commit = await project.commit({ 'own.txt': '' }, path);
  await rm(join(project.home, 'log'), { force: true });
  return { project, path, id, commit };
}

const allow = ({ home }: Project, what: string) => rm(join(home, `no-${what}`));

describe('The resources of a worktree', () => {
  afterEach(removeAll);

  it('are created in order before the steps, and known to whatever runs later', async () => {
    const setup =
      '[worktree.setup]\nsteps = ["echo step >> ../log; echo $DISCERN_WORKTREE $DISCERN_RESOURCE_DEV_DB >> ../log"]\n';
    const project = await make({ config: withTables(resource('dev_db'), resource('cache'), setup) });
    const events: VerbEvent[] = [];
    const answer = await verb('start', project.root, { name: 'work' }, { events });
    const { id } = succeeded(answer);
    assert.deepEqual(await logged(project), [
      ...['create-dev_db', 'create-cache', 'step'],
      `shop-${id} shop-${id}-dev-db`,
    ]);
    assert.deepEqual(await there(project), [`${id}-cache`, `${id}-dev-db`]);
    assert.deepEqual(await writtenDown(project), { [id]: ['dev_db', 'cache'] });
    assert.deepEqual(
      answer.steps?.map(({ name, stage }) => [name, stage]),
      [
        ['worktree.resources.dev_db.create', 'setup'],
        ['worktree.resources.cache.create', 'setup'],
        ['worktree.setup.steps[0]', 'setup'],
      ],
    );
    const finished = events.flatMap((event) => (event.type === 'job_finished' ? [event] : []));
    assert.deepEqual(
      finished.map(({ done, jobs }) => `${done}/${jobs}`),
      ['1/3', '2/3', '3/3'],
    );
  });

  it('have their names in the env files that are there, also when a step makes one anew', async () => {
    const setup = '[worktree.setup]\nsteps = ["cp .env.example .env"]\nensure = ["cp .env ../seen"]\n';
    const project = await make({
      config: `${withTables(resource('db'), setup)}`.replace('root = ".."', 'root = ".."\nport = true'),
      files: { '.env.example': 'A=1\nDISCERN_WORKTREE_PORT=\n', '.gitignore': '.env\n' },
    });
    const { id, port, path } = await started(project.root);
    const text = await readFile(join(project.home, 'seen'), 'utf8');
    assert.equal(
      text,
      `A=1\nDISCERN_WORKTREE_PORT=${port}\nDISCERN_WORKTREE_ID=${id}\nDISCERN_WORKTREE=shop-${id}\nDISCERN_RESOURCE_DB=shop-${id}-db\n`,
    );
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('are destroyed by accept the last one first, when the trunk has moved and the worktree is still there', async () => {
    const looks = `[worktree.resources.last]\ndestroy = "git rev-parse main >> ../log; pwd >> ../log; echo $DISCERN_ROOT >> ../log"\n`;
    const { project, path, commit } = await working(withTables(resource('db'), resource('cache'), looks));
    const answer = await verb('accept', path);
    assert.deepEqual(succeeded(answer).landing, {
      recovery_performed: false,
      trunk_landed: true,
      worktree_removed: true,
      branch_deleted: true,
    });
    assert.deepEqual(await logged(project), [commit, path, path, 'destroy-cache', 'destroy-db']);
    assert.deepEqual([await there(project), await writtenDown(project)], [[], {}]);
    assert.deepEqual(
      answer.steps?.map(({ name }) => name),
      ['last', 'cache', 'db'].map((name) => `worktree.resources.${name}.destroy`),
    );
  });

  it('are destroyed by drop, which says so with dry_run', async () => {
    const { project, id } = await working(withTables(resource('db'), resource('cache')));
    const args = { worktree: id, delete_branch: true, force: true };
    const plan = (await verb('drop', project.root, { ...args, dry_run: true })).plan?.steps ?? [];
    assert.deepEqual(
      plan.flatMap(({ action, detail }) => (action === 'destroy' ? [detail] : [])),
      ['cache', 'db'],
    );
    assert.deepEqual(await logged(project), []);
    succeeded(await verb('drop', project.root, args));
    assert.deepEqual(await logged(project), ['destroy-cache', 'destroy-db']);
    assert.deepEqual([await there(project), await writtenDown(project)], [[], {}]);
  });

  it('are not destroyed by a drop that refuses', async () => {
    const { project, id } = await working(withTables(resource('db')));
    refusedWith(await verb('drop', project.root, { worktree: id, delete_branch: true }), 'dirty_worktree');
    assert.deepEqual(await there(project), [`${id}-db`]);
  });
});

describe('A resource that cannot be created', () => {
  afterEach(removeAll);

  it('fails the start, which takes back what it made, itself and those before it included', async () => {
    const project = await make({ config: withTables(resource('db'), resource('cache'), resource('later')) });
    await forbid(project, 'create-cache');
    const before = await everything(project);
    const answer = await verb('start', project.root);
    refusedWith(answer, 'gate_failed', /worktree was removed/);
    assert.match(await readFile(answer.steps?.at(-1)?.output_path ?? '', 'utf8'), /cannot create/);
    const log = await logged(project);
    assert.deepEqual(log, ['create-db', 'create-cache', 'destroy-cache', 'destroy-db']);
    await rm(join(project.home, 'log'));
    assert.deepEqual(await everything(project), before);
    assert.deepEqual(await writtenDown(project), {});
  });

  it('and not be destroyed either stays written down, and the next start tries again', async () => {
    const project = await make({
      config: withTables(resource('db'), '[worktree.setup]\nsteps = ["test ! -e ../no-step"]'),
    });
    for (const what of ['step', 'destroy-db']) await forbid(project, what);
    const answer = await verb('start', project.root);
    refusedWith(answer, 'gate_failed');
    assert.ok(answer.hints?.some((hint) => /db could not be destroyed/.test(hint)));
    const [left = ''] = Object.keys(await writtenDown(project));
    for (const what of ['step', 'destroy-db']) await allow(project, what);
    const next = await verb('start', project.root);
    const { id } = succeeded(next);
    assert.ok(
      next.hints?.includes(`Destroyed what ${left}, which is gone, had left: db.`),
      next.hints?.join('\n'),
    );
    assert.deepEqual(await there(project), [`${id}-db`]);
  });

  it('and is not required is a hint; update clears it away and creates it', async () => {
    const { project, path, id } = await working(
      withTables(resource('db', 'required = false'), resource('cache')),
    );
    assert.deepEqual(await there(project), [`${id}-cache`, `${id}-db`]);
    const second = await (async () => {
      await forbid(project, 'create-db');
      const answer = await verb('start', project.root);
      assert.ok(
        answer.hints?.some((hint) =>
          /^worktree\.resources\.db\.create failed, which is not required/.test(hint),
        ),
      );
      return succeeded(answer);
    })();
    assert.ok(!(await there(project)).includes(`${second.id}-db`));
    assert.deepEqual((await logged(project)).slice(-2), ['create-db', 'create-cache']);
    await allow(project, 'create-db');
    await rm(join(project.home, 'log'));
    succeeded(await verb('update', second.path));
    assert.deepEqual(await logged(project), ['destroy-db', 'create-db', 'ensure-cache']);
    succeeded(await verb('update', path));
    assert.deepEqual((await logged(project)).slice(3), ['ensure-db', 'ensure-cache']);
  });

  it('at first is tried again as often as it says', async () => {
    const flaky = (retries: number) =>
      `[worktree.resources.db]\nretries = ${retries}\ncreate = "echo try >> ../log; test $(wc -l < ../log) -ge 3"\n`;
    const project = await make({ config: withTables(flaky(2)) });
    const answer = await verb('start', project.root);
    succeeded(answer);
    assert.deepEqual(await logged(project), ['try', 'try', 'try']);
    assert.deepEqual(
      answer.steps?.map(({ outcome }) => outcome),
      ['passed'],
    );
    await rm(join(project.home, 'log'));
    await project.commit({ 'discern.toml': withTables(flaky(1)) });
    refusedWith(await verb('start', project.root), 'gate_failed');
    assert.deepEqual(await logged(project), ['try', 'try']);
  });

  it('in time, or before the call is cancelled, is destroyed with the start', async () => {
    const slow =
      '[worktree.resources.slow]\ncreate = "touch ../begun; sleep 300"\ndestroy = "echo gone >> ../log"\n';
    const project = await make({ config: `${withTables(slow)}[gate]\ntimeout = 0.3\n` });
    const before = await everything(project);
    refusedWith(await verb('start', project.root), 'timed_out', /ran out of time/);
    await project.commit({ 'discern.toml': withTables(slow) });
    await rm(join(project.home, 'begun'));
    const controller = new AbortController();
    const starting = verb('start', project.root, {}, { signal: controller.signal });
    await until('it is being created', async () =>
      (await everything(project)).files.some((file) => /^begun/.test(file)),
    );
    controller.abort();
    refusedWith(await starting, 'cancelled');
    assert.deepEqual(await logged(project), ['gone', 'gone']);
    assert.deepEqual((await everything(project)).worktrees.length, before.worktrees.length);
    assert.deepEqual(await writtenDown(project), {});
  });
});

describe('A resource that cannot be destroyed', () => {
  afterEach(removeAll);

  it('makes accept a partial acceptance that keeps the worktree, and the next accept finishes it', async () => {
    const { project, path, id, commit } = await working(withTables(resource('db'), resource('cache')));
    await forbid(project, 'destroy-db');
    const answer = await verb('accept', path);
    refusedWith(
      answer,
      'partial_acceptance',
      /main has the work .* the resource db is still there .* failed, see .*accept again/i,
    );
    assert.deepEqual(answer.data?.landing, {
      recovery_performed: false,
      trunk_landed: true,
      worktree_removed: false,
      branch_deleted: false,
    });
    assert.ok((answer.diagnostics?.length ?? 0) > 0);
    assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
    assert.deepEqual([await there(project), await writtenDown(project)], [[`${id}-db`], { [id]: ['db'] }]);

    await allow(project, 'destroy-db');
    await rm(join(project.home, 'log'));
    const again = succeeded(await verb('accept', path));
    assert.deepEqual([again.landing.worktree_removed, again.landing.branch_deleted], [true, true]);
    assert.deepEqual(await logged(project), ['destroy-db']);
    assert.deepEqual([await there(project), await writtenDown(project)], [[], {}]);
  });

  it('keeps drop from removing the worktree, unless forced; then the next start tries again', async () => {
    const { project, path, id } = await working(withTables(resource('db'), resource('cache')));
    await git(path, 'reset', '--quiet', '--hard', 'main');
    await forbid(project, 'destroy-cache');
    const args = { worktree: id, delete_branch: true };
    const answer = await verb('drop', project.root, args);
    refusedWith(answer, 'gate_failed', /was not dropped: the resources db, cache are still there/);
    assert.deepEqual(await logged(project), ['destroy-cache'], 'what it stands on is left alone');
    assert.equal(await git(path, 'status', '--porcelain'), '');

    const forced = await verb('drop', project.root, { ...args, force: true });
    assert.equal(succeeded(forced).worktree_removed, true);
    assert.ok(forced.hints?.some((hint) => /^cache could not be destroyed/.test(hint)));
    assert.deepEqual(
      [await there(project), await writtenDown(project)],
      [[`${id}-cache`], { [id]: ['cache'] }],
    );

    await allow(project, 'destroy-cache');
    const next = await started(project.root);
    assert.deepEqual((await writtenDown(project))[id], undefined);
    assert.deepEqual(await there(project), [`${next.id}-cache`, `${next.id}-db`]);
  });

  it('and is not required keeps nothing from landing', async () => {
    const { project, path, id } = await working(
      withTables(resource('db'), resource('cache', 'required = false')),
    );
    await forbid(project, 'destroy-cache');
    const answer = await verb('accept', path);
    assert.equal(succeeded(answer).landing.worktree_removed, true);
    assert.ok(answer.hints?.some((hint) => /cache\.destroy failed, which is not required/.test(hint)));
    assert.deepEqual(await writtenDown(project), { [id]: ['cache'] });
  });

  it('at first is tried again, and one that was mended meanwhile is mended by an update', async () => {
    const toml = withTables(
      '[worktree.resources.db]\nretries = 1\ndestroy = "echo try >> ../log; test $(wc -l < ../log) -ge 4"\n',
    );
    const { project, path, id } = await working(toml);
    const args = { worktree: id, delete_branch: true, force: false };
    await git(path, 'reset', '--quiet', '--hard', 'main');
    refusedWith(await verb('drop', project.root, args), 'gate_failed');
    assert.deepEqual(await logged(project), ['try', 'try']);
    await project.commit({
      'discern.toml': withTables('[worktree.resources.db]\ndestroy = "echo mended >> ../log"\n'),
    });
    succeeded(await verb('update', path));
    succeeded(await verb('drop', project.root, args));
    assert.deepEqual((await logged(project)).slice(2), ['mended']);
  });
});

describe('The resources of a worktree that vanished', () => {
  afterEach(removeAll);

  it('are told by status, which runs nothing, and destroyed by the next start from the main checkout', async () => {
    const { project, path, id } = await working(
      withTables(
        resource('db'),
        '[worktree.resources.last]\ndestroy = "pwd >> ../log; echo $DISCERN_RESOURCE_DB >> ../log"',
      ),
    );
    await rm(path, { recursive: true });
    const status = succeeded(await verb('status', project.root));
    const told = status.findings?.find(({ what }) => what.startsWith(`${id} is gone`));
    assert.deepEqual(told, {
      what: `${id} is gone, and what it had is still there: db, last.`,
      remedy: 'discern prune --no-dry-run',
    });
    assert.deepEqual(await logged(project), []);
    const answer = await verb('start', project.root);
    succeeded(answer);
    assert.ok(answer.hints?.some((hint) => hint.startsWith(`Destroyed what ${id}, which is gone`)));
    assert.deepEqual((await logged(project)).slice(0, 3), [project.root, `shop-${id}-db`, 'destroy-db']);
    assert.ok(!(await there(project)).includes(`${id}-db`));
    assert.equal((await writtenDown(project))[id], undefined);
  });

  it('are destroyed by prune, which first says so', async () => {
    const { project, path, id } = await working(withTables(resource('db')));
    await rm(path, { recursive: true });
    const { plan } = await verb('prune', project.root);
    assert.ok(
      plan?.steps.some(({ action, detail }) => action === 'destroy resources' && detail?.includes(id)),
    );
    assert.ok((await there(project)).includes(`${id}-db`));
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.ok(!(await there(project)).includes(`${id}-db`));
    assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
  });

  it('and that git has forgotten are destroyed too', async () => {
    const { project, path, id } = await working(withTables(resource('db')));
    await rm(path, { recursive: true });
    await git(project.root, 'worktree', 'prune');
    await started(project.root);
    assert.equal((await writtenDown(project))[id], undefined);
  });

  for (const [what, act] of [
    ['was moved by hand', (project: Project, path: string) => rename(path, join(project.home, 'elsewhere'))],
    [
      'is locked, as one on another disk is',
      async (project: Project, path: string) => {
        await git(project.root, 'worktree', 'lock', path);
        await rename(path, join(project.home, 'unmounted'));
        await writeFile(join(project.home, 'unmounted/.git'), '');
      },
    ],
  ] as const) {
    it(`are not destroyed when it only ${what}`, async () => {
      const { project, path, id } = await working(withTables(resource('db')));
      await act(project, path);
      const { findings = [] } = succeeded(await verb('status', project.root));
      assert.ok(findings.every(({ remedy }) => remedy.startsWith('git worktree repair ')));
      succeeded(await verb('prune', project.root, { dry_run: false }));
      await started(project.root);
      assert.ok((await there(project)).includes(`${id}-db`));
    });
  }

  for (const where of ['old.worktrees', 'elsewhere/deep/trees']) {
    it(`are not destroyed when the folder it lies in was moved by hand to ${where}`, async () => {
      const project = await make({
        config:
          '[project]\nname = "x"\n[worktree.resources.db]\ncreate = "true"\ndestroy = "touch ../destroyed"\n',
      });
      await started(project.root);
      await mkdir(join(project.home, where, '..'), { recursive: true });
      await rename(`${project.root}.worktrees`, join(project.home, where));
      // The first makes a folder of that name again.
      await started(project.root);
      await started(project.root);
      assert.ok(!(await readdir(project.home)).includes('destroyed'));
    });
  }

  it('and say gc = false stay', async () => {
    const { project, path, id } = await working(withTables(resource('db', 'gc = false'), resource('cache')));
    await rm(path, { recursive: true });
    await started(project.root);
    assert.ok((await there(project)).includes(`${id}-db`));
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.deepEqual((await writtenDown(project))[id], ['db']);
    assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
  });

  it('and say gc = false are destroyed by a drop that names the worktree', async () => {
    const { project, path, id } = await working(withTables(resource('db', 'gc = false'), resource('cache')));
    await rm(path, { recursive: true });
    const args = { worktree: id, delete_branch: true };
    assert.equal((await verb('drop', project.root, { ...args, dry_run: true })).plan?.steps.length, 2);
    await forbid(project, 'destroy-db');
    refusedWith(await verb('drop', project.root, args), 'gate_failed', /the resource db is still there/);
    await allow(project, 'destroy-db');
    assert.equal(
      succeeded(await verb('drop', project.root, { ...args, worktree: path })).worktree_removed,
      true,
    );
    assert.deepEqual([await there(project), await writtenDown(project)], [[], {}]);
    refusedWith(await verb('drop', project.root, args), 'path_not_found');
  });
});

describe('An update', () => {
  afterEach(removeAll);

  it('creates what the trunk brings, ensures what is there, and creates nothing twice', async () => {
    const { project, path, id } = await working(withTables(resource('db')));
    await project.commit({ 'discern.toml': withTables(resource('db'), resource('cache')) });
    succeeded(await verb('update', path));
    assert.deepEqual(await logged(project), ['ensure-db', 'create-cache']);
    assert.deepEqual(await writtenDown(project), { [id]: ['db', 'cache'] });
    succeeded(await verb('update', path));
    assert.deepEqual((await logged(project)).slice(2), ['ensure-db', 'ensure-cache']);
  });

  it('that cannot create what the trunk brings keeps the merge and says so', async () => {
    const { project, path } = await working(withTables(resource('db')));
    await project.commit({ 'discern.toml': withTables(resource('db'), resource('cache')) });
    await forbid(project, 'create-cache');
    const answer = await verb('update', path);
    refusedWith(answer, 'gate_failed', /Merged main .* But "echo create-cache/);
    assert.equal(answer.data?.merged, true);
  });

  it('tells of a resource that is not ready, and runs the ensures all the same', async () => {
    const ready = '[worktree.resources.host]\nensure = "echo host >> ../log; exit 1"\nretries = 1\n';
    const { project, path } = await working(
      withTables(ready, '[worktree.setup]\nensure = ["echo last >> ../log"]\n'),
    );
    const answer = await verb('update', path);
    succeeded(answer);
    assert.deepEqual(await logged(project), ['host', 'host', 'last']);
    assert.ok(answer.hints?.some((hint) => /^worktree\.resources\.host\.ensure failed/.test(hint)));
  });
});

describe('What refers to nothing', () => {
  afterEach(removeAll);

  it('is the shell’s to judge, and the start is taken back when it does not like it', async () => {
    const create = (command: string) => withTables(`[worktree.resources.db]\ncreate = '${command}'\n`);
    const project = await make({ config: create(`echo "[\${NOT_SET_HERE}]@nothing@" > ../said`) });
    await started(project.root);
    assert.equal(await readFile(join(project.home, 'said'), 'utf8'), '[]@nothing@\n');
    await project.commit({ 'discern.toml': create(`echo \${worktree.port}`) });
    const answer = await verb('start', project.root);
    refusedWith(answer, 'gate_failed', /worktree\.port/);
    assert.match(await readFile(answer.steps?.[0]?.output_path ?? '', 'utf8'), /bad substitution/i);
    assert.deepEqual(await writtenDown(project), {
      [(await git(project.root, 'branch', '--list', 'agent/*', '--format=%(refname:lstrip=3)')).trim()]: [
        'db',
      ],
    });
  });
});
