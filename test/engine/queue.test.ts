import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Data } from '../../src/contract/verbs.ts';
import { endElsewhere, everything, pausedAt, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

/** A gate that tells which files of src it saw, and is red where bad.txt is among them. */
const config = `[project]
name = "sample"

[jobs]
test = "ls src | tr '\\\\n' ' ' >> ../../ran; echo >> ../../ran; test ! -f src/bad.txt"
`;

async function work(project: Project, name: string, files: Record<string, string>) {
  const { path, branch } = await started(project.root, { name });
  const commit = await project.commit(files, path, `The work of ${name}`);
  return { path, branch: branch ?? '', commit };
}

/** The same in a worktree that git made and discern leaves, which takes fewer processes. */
async function plainWork(project: Project, name: string, files: Record<string, string>) {
  const path = join(project.home, name);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', name, path);
  const commit = await project.commit(files, path, `The work of ${name}`);
  return { path, branch: name, commit };
}

const subjectsSince = (project: Project, commit: string) =>
  git(project.root, 'log', '--reverse', '--format=%s', '--no-merges', `${commit}..main`);

const queued = async (path: string) => succeeded(await verb('accept', path, { queue: true }));
const entries = async (project: Project) => succeeded(await verb('queue', project.root)).entries;
const brief = (list: Data<'queue'>['entries']) =>
  list.map(({ entry, place, state }) => `${entry} ${place ?? '-'} ${state}`);
const recordOf = (project: Project, entry: string) =>
  join(project.root, `.git/discern-vscode/queue/${entry}.json`);

describe('the queue of landings', () => {
  afterEach(removeAll);

  it('gates each entry on those before it; a red second of five falls out, and the others land in order', async () => {
    const project = await make({ config });
    const made: Awaited<ReturnType<typeof work>>[] = [];
    for (const name of ['one', 'bad', 'three', 'four', 'five']) {
      const begin = name === 'one' || name === 'bad' ? work : plainWork;
      made.push(await begin(project, name, { [`src/${name}.txt`]: `${name}\n` }));
    }
    const before = await git(project.root, 'rev-parse', 'main');
    const places: unknown[] = [];
    for (const { path, commit } of made) {
      const { queue, landing } = await queued(path);
      places.push([queue?.place, queue?.commit === commit, landing.trunk_landed]);
    }
    assert.deepEqual(
      places,
      [1, 2, 3, 4, 5].map((place) => [place, true, false]),
    );
    assert.equal(await git(project.root, 'rev-parse', 'main'), before, 'queueing moves nothing');
    const last = succeeded(await verb('await', made[4]?.path ?? '', { until: 'landed' }));
    assert.deepEqual([last.happened, last.entry?.state], ['landed', 'landed']);
    const list = await entries(project);
    assert.deepEqual(brief(list), ['q5 - landed', 'q4 - landed', 'q3 - landed', 'q2 - out', 'q1 - landed']);
    const out = list.find(({ entry }) => entry === 'q2');
    assert.equal(out?.error, 'gate_failed');
    assert.match(out?.reason ?? '', /test/);
    const subjects = await git(
      project.root,
      'log',
      '--reverse',
      '--format=%s',
      '--no-merges',
      `${before}..main`,
    );
    assert.equal(subjects, ['one', 'three', 'four', 'five'].map((name) => `The work of ${name}`).join('\n'));
    // The third was judged with the second while that still ran or as soon as it was red, and never landed with it.
    const ran = (await readFile(join(project.home, 'ran'), 'utf8')).trim().split('\n');
    assert.ok(
      ran.some((line) => /one\.txt/.test(line) && /bad\.txt/.test(line)),
      'the second was judged on the first',
    );
    assert.ok(
      ran.some(
        (line) =>
          ['one', 'three', 'four', 'five'].every((name) => line.includes(`${name}.txt`)) && !/bad/.test(line),
      ),
      'the last was judged with all that landed before it',
    );
    assert.deepEqual(await readdir(`${project.root}.worktrees`), [made[1]?.path.split('/').at(-1)]);
    assert.equal(
      await git(made[1]?.path ?? '', 'rev-parse', 'HEAD'),
      made[1]?.commit,
      'its work is as it was',
    );
  });

  it('keeps one place for one commit, gives a new one to a newer commit, and refuses a branch of two worktrees', async () => {
    const project = await make({ config });
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const planned = async () => {
      const before = await everything(project);
      const answer = await verb('accept', one.path, { queue: true, dry_run: true });
      succeeded(answer);
      assert.deepEqual(await everything(project), before);
      return answer.plan?.steps.map(({ action, detail }) => `${action} ${detail}`).slice(0, -1);
    };
    const short = one.commit.slice(0, 10);
    assert.deepEqual(await planned(), [`queue ${short} at place 1`]);
    assert.deepEqual(await entries(project), []);
    assert.equal((await queued(one.path)).queue?.entry, 'q1');
    assert.equal((await queued(one.path)).queue?.entry, 'q1');
    assert.deepEqual(await planned(), [`queue ${short} at place 1, which it has as q1`]);
    const twin = join(project.home, 'twin');
    await git(project.root, 'worktree', 'add', '--quiet', '--force', twin, one.branch);
    const all = await everything(project);
    refusedWith(await verb('accept', twin, { queue: true }), 'branch_exists', /q1/);
    assert.deepEqual(await everything(project), all);
    await git(project.root, 'worktree', 'remove', twin);
    const newer = await project.commit({ 'src/more.txt': 'more\n' }, one.path);
    assert.deepEqual(await planned(), [
      `take out q1, which stands for ${short}`,
      `queue ${newer.slice(0, 10)} at place 1`,
    ]);
    assert.equal((await queued(one.path)).queue?.entry, 'q2');
    assert.deepEqual(brief(await entries(project)), ['q2 1 waiting', 'q1 - out']);
    refusedWith(await verb('accept', one.path, { queue: true, push: true }), 'invalid_argument');
  });

  it('holds, releases and drops an entry, and refuses one that is not there', async () => {
    const project = await make({ config });
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const two = await plainWork(project, 'two', { 'src/two.txt': '2\n' });
    await queued(one.path);
    await queued(two.path);
    refusedWith(await verb('queue', project.root, { action: 'hold', entry: 'q9' }), 'path_not_found');
    refusedWith(await verb('queue', project.root, { action: 'hold' }), 'invalid_argument');
    succeeded(await verb('queue', project.root, { action: 'hold', entry: one.branch }));
    const held = await verb('await', one.path, { until: 'landed' });
    refusedWith(held, 'unavailable', /q1 is held/);
    succeeded(await verb('queue', project.root, { action: 'run' }));
    assert.deepEqual(brief(await entries(project)), ['q1 1 held', 'q2 - landed']);
    succeeded(await verb('queue', project.root, { action: 'release', entry: 'q1' }));
    succeeded(await verb('queue', project.root, { action: 'drop', entry: 'q1' }));
    refusedWith(await verb('queue', project.root, { action: 'release', entry: 'q1' }), 'path_not_found');
    assert.equal(await git(one.path, 'rev-parse', 'HEAD'), one.commit);
    const fleet = succeeded(await verb('fleet', project.root));
    assert.deepEqual(
      fleet.projects
        .flatMap(({ worktrees }) => worktrees)
        .filter(({ path }) => path.startsWith(project.home))
        .flatMap(({ queue = [] }) => queue),
      [],
    );
  });

  it('lets an entry fall out that moved, whose worktree vanished, or that conflicts; the others land', async () => {
    const project = await make({ config });
    const moved = await plainWork(project, 'moved', { 'src/moved.txt': '1\n' });
    const lost = await plainWork(project, 'lost', { 'src/lost.txt': '1\n' });
    const first = await plainWork(project, 'first', { 'src/same.txt': 'first\n' });
    const second = await plainWork(project, 'second', { 'src/same.txt': 'second\n' });
    for (const { path } of [moved, lost, first, second]) await queued(path);
    const fleet = succeeded(await verb('fleet', project.root));
    const rows = fleet.projects.flatMap(({ worktrees }) => worktrees);
    assert.equal(rows.find(({ path }) => path === second.path)?.queue, 4);
    const broken = await work(project, 'broken', { 'src/broken.txt': '1\n' });
    await queued(broken.path);
    await writeFile(join(broken.path, 'discern.toml'), 'nonsense\n');
    await project.commit({ 'src/later.txt': 'later\n' }, moved.path);
    await rm(lost.path, { recursive: true });
    succeeded(await verb('queue', project.root, { action: 'run' }));
    const list = await entries(project);
    assert.deepEqual(list.map(({ entry, state, error }) => [entry, state, error]).reverse(), [
      ['q1', 'out', 'busy'],
      ['q2', 'out', 'root_missing'],
      ['q3', 'landed', undefined],
      ['q4', 'out', 'merge_conflict'],
      ['q5', 'out', 'config_error'],
    ]);
    assert.match(list.find(({ entry }) => entry === 'q1')?.reason ?? '', /^moved: /);
    const again = await verb('await', second.path, { until: 'landed' });
    refusedWith(again, 'merge_conflict', /fell out.*same\.txt/);
    assert.equal(again.data?.happened, 'fell_out');
    // The same by its branch's name, until that has other work: then what is over says nothing of it.
    const byName = { until: 'landed', worktree: second.branch, timeout: 1 } as const;
    refusedWith(await verb('await', project.root, byName), 'merge_conflict');
    await project.commit({ 'src/corrected.txt': 'corrected\n' }, second.path);
    refusedWith(await verb('await', project.root, byName), 'timed_out');
  });

  it('tells of a damaged entry and of one of a newer version, leaves their files, and gives their names to none', async () => {
    const project = await make({ config });
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const two = await plainWork(project, 'two', { 'src/two.txt': '2\n' });
    await queued(one.path);
    await appendFile(recordOf(project, 'q1'), 'garbage');
    await writeFile(recordOf(project, 'q4'), '{"version": 2}\n');
    const texts = () => Promise.all(['q1', 'q4'].map((name) => readFile(recordOf(project, name), 'utf8')));
    const before = await texts();
    assert.equal((await queued(two.path)).queue?.entry, 'q5');
    const answer = await verb('queue', project.root, { action: 'run' });
    assert.deepEqual(succeeded(answer).damaged, [recordOf(project, 'q1'), recordOf(project, 'q4')]);
    assert.match(
      answer.hints?.join('\n') ?? '',
      /q1\.json cannot be read[\s\S]*q4\.json was written by a later version/,
    );
    assert.deepEqual(brief(succeeded(answer).entries), ['q5 - landed']);
    assert.deepEqual(await texts(), before);
  });
});

describe('the queue of landings, beside others', () => {
  afterEach(async () => {
    endElsewhere();
    await closeAll();
    await removeAll();
  });

  it('is reached over stdio from the worktree itself, with progress; that is gone then, and the next call says as what it landed', async () => {
    const project = await make({ config });
    const { call } = await open({ args: ['--root', project.root] });
    const { envelope: start } = await call('discern_start', { name: 'one' });
    await project.commit({ 'src/one.txt': '1\n' }, String(start.data.path));
    const { text } = await call('discern_accept', { queue: true });
    assert.match(text, /has place 1 in the queue for main, as q1/);
    const told: string[] = [];
    const { envelope } = await call(
      'discern_await',
      { until: 'landed' },
      { onProgress: (message) => told.push(message) },
    );
    assert.deepEqual([envelope.ok, envelope.data.happened], [true, 'landed'], envelope.message);
    const landed = await git(project.root, 'rev-parse', 'main');
    assert.match(told.join('\n'), /q1 \(\S+\) landed as/);
    const { envelope: next, text: nextText } = await call('discern_status');
    assert.equal(next.error, 'root_missing');
    assert.match(nextText, new RegExp(landed.slice(0, 10)));
    assert.equal(await git(project.root, 'show', '--format=', '--name-only', landed), 'src/one.txt');
  });

  it('is run by one process at a time; who waits meanwhile has the answer, and each entry is gated and lands once', async () => {
    const project = await make({ config });
    const before = await git(project.root, 'rev-parse', 'main');
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const two = await plainWork(project, 'two', { 'src/two.txt': '2\n' });
    await queued(one.path);
    await queued(two.path);
    const other = await pausedAt(project, 'queue.landing', 'queue', project.root, { action: 'run' });
    const answer = await verb('queue', project.root, { action: 'run' });
    assert.match(answer.message ?? '', /^Another process runs it already/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    const waiting = verb('await', two.path, { until: 'landed' });
    assert.equal((await other.resume())?.ok, true);
    assert.equal(succeeded(await waiting).happened, 'landed');
    assert.equal(await subjectsSince(project, before), 'The work of one\nThe work of two');
    const ran = (await readFile(join(project.home, 'ran'), 'utf8')).trim().split('\n');
    assert.deepEqual(ran.map((line) => line.trim()).sort(), ['a.txt one.txt', 'a.txt one.txt two.txt']);
  });

  it('goes on with an accept where nobody waits: what is proved lands before its own work, and what needs a gate after it', async () => {
    const project = await make({ config });
    const before = await git(project.root, 'rev-parse', 'main');
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const two = await plainWork(project, 'two', { 'src/two.txt': '2\n' });
    const three = await plainWork(project, 'three', { 'src/three.txt': '3\n' });
    succeeded(await verb('done', one.path));
    await queued(one.path);
    await queued(two.path);
    const answer = await verb('accept', three.path);
    const { landed_commit: landed = '' } = succeeded(answer);
    await git(project.root, 'merge-base', '--is-ancestor', three.commit, landed);
    const hints = answer.hints?.join('\n') ?? '';
    assert.match(hints, /Landed first, as queued before and proved: q1 \(one\)\./);
    assert.match(hints, /Landed since, as queued before: q2 \(two\)\./);
    assert.doesNotMatch(hints, /nobody runs it/);
    assert.equal(await subjectsSince(project, before), 'The work of one\nThe work of three\nThe work of two');
    assert.deepEqual(brief(await entries(project)), ['q2 - landed', 'q1 - landed']);
  });

  it('goes on after done, but not with the worktree that is called for, nor with a gate that usually takes longer than that may', async () => {
    const project = await make({ config });
    const before = await git(project.root, 'rev-parse', 'main');
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const two = await plainWork(project, 'two', { 'src/two.txt': '2\n' });
    const three = await plainWork(project, 'three', { 'src/three.txt': '3\n' });
    await queued(one.path);
    await queued(two.path);
    const own = await verb('done', one.path);
    assert.equal(succeeded(own).proof?.state, 'valid');
    assert.match(
      own.hints?.join('\n') ?? '',
      /2 entries wait in the queue to land, q1 first, and nobody runs it/,
    );
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    const long = { verb: 'done', project: '', root: project.root, branch: 'main', commit: before };
    const line = JSON.stringify({ ...long, at: '', outcome: 'passed', duration_ms: 60_000, jobs: [] });
    const logbook = join(project.root, '.git/discern-vscode/logbook.jsonl');
    const short = await readFile(logbook, 'utf8');
    await appendFile(logbook, `${line}\n`.repeat(5));
    const late = await verb('done', three.path);
    assert.match(
      late.hints?.join('\n') ?? '',
      /Landed since, as queued before: q1 \(one\)\.\n1 entry waits.*q2 first/,
    );
    assert.equal(await subjectsSince(project, before), 'The work of one');
    await writeFile(logbook, short);
    const other = await plainWork(project, 'other', { 'src/other.txt': 'o\n' });
    const answer = await verb('done', other.path);
    assert.equal(succeeded(answer).proof?.state, 'valid');
    assert.match(answer.hints?.join('\n') ?? '', /Landed since, as queued before: q2 \(two\)\.$/);
    assert.equal(await subjectsSince(project, before), 'The work of one\nThe work of two');
    assert.equal(await git(other.path, 'rev-parse', 'HEAD'), other.commit);
  });

  it('goes on with start where what comes next is proved, and only tells where a verb runs nothing of the project', async () => {
    const project = await make({ config });
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    succeeded(await verb('done', one.path));
    await queued(one.path);
    for (const quiet of ['status', 'scopes'] as const) succeeded(await verb(quiet, project.root));
    const pruned = await verb('prune', project.root, { dry_run: false });
    assert.match(pruned.hints?.join('\n') ?? '', /1 entry waits in the queue/);
    assert.deepEqual(brief(await entries(project)), ['q1 1 waiting']);
    const answer = await verb('start', project.root, { name: 'next' });
    assert.equal(succeeded(answer).base_commit, await git(project.root, 'rev-parse', 'main~1'));
    assert.match(answer.hints?.join('\n') ?? '', /Landed since, as queued before: q1 \(one\)/);
    assert.deepEqual(brief(await entries(project)), ['q1 - landed']);
  });

  it('lands by the way each entry was queued with, and tells of each the commit that is on the trunk', async () => {
    const project = await make({ config });
    const before = await git(project.root, 'rev-parse', 'main');
    for (const how of ['squash', 'rebase', 'merge'] as const) {
      const { path } = await plainWork(project, how, { [`src/${how}.txt`]: '1\n' });
      await project.commit({ [`src/${how}-2.txt`]: '2\n' }, path, `More of ${how}`);
      succeeded(await verb('accept', path, { queue: true, how }));
    }
    const { entries: list } = succeeded(await verb('queue', project.root, { action: 'run' }));
    assert.deepEqual(brief(list), ['q3 - landed', 'q2 - landed', 'q1 - landed']);
    const first = await git(project.root, 'log', '--first-parent', '--format=%H %p', `${before}..main`);
    const lines = first.split('\n').map((line) => line.split(' '));
    // The newest first: one merge of two parents, two commits of the rebased branch, one of the squashed.
    assert.deepEqual(
      lines.map((parts) => parts.length - 1),
      [2, 1, 1, 1],
    );
    assert.deepEqual(
      list.map(({ landed_commit }) => landed_commit),
      [lines[0]?.[0], lines[1]?.[0], lines[3]?.[0]],
    );
  });

  it('lets work fall out whose trunk was rewound since, and does not bring back what was taken off it', async () => {
    const project = await make({ config });
    const kept = await git(project.root, 'rev-parse', 'main');
    await project.commit({ 'src/secret.txt': 'secret\n' }, project.root, 'To be taken back');
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    await queued(one.path);
    await git(project.root, 'reset', '--quiet', '--hard', kept);
    const { entries: list } = succeeded(await verb('queue', project.root, { action: 'run' }));
    assert.deepEqual(
      list.map(({ state, error }) => [state, error]),
      [['out', 'unknown_ref']],
    );
    assert.match(list[0]?.reason ?? '', /has that commit no more/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), kept);
    assert.equal(await git(one.path, 'rev-parse', 'HEAD'), one.commit);
  });

  it('keeps its places when await is cancelled, and leaves no process and no checkout', async () => {
    const project = await make({
      config: '[project]\nname = "sample"\n[jobs]\ntest = "echo $$ > ../../pid; exec sleep 300"\n',
    });
    const before = await git(project.root, 'rev-parse', 'main');
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    await queued(one.path);
    const all = await git(project.root, 'worktree', 'list', '--porcelain');
    const pid = () => readFile(join(project.home, 'pid'), 'utf8').catch(() => '');
    const cancelling = new AbortController();
    const waiting = verb('await', one.path, { until: 'landed' }, { signal: cancelling.signal });
    await until('its gate runs', async () => (await pid()) !== '');
    const running = Number(await pid());
    process.kill(running, 0);
    cancelling.abort();
    refusedWith(await waiting, 'cancelled', /keeps its place/);
    assert.throws(() => process.kill(running, 0), { code: 'ESRCH' });
    assert.deepEqual(brief(await entries(project)), ['q1 1 waiting']);
    assert.equal(await git(project.root, 'worktree', 'list', '--porcelain'), all);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
  });
});

describe('await', () => {
  afterEach(removeAll);

  it('is green with the proof, sees the trunk move, and says that the time is over', async () => {
    const project = await make({ config });
    const one = await plainWork(project, 'one', { 'src/one.txt': '1\n' });
    const late = await verb('await', one.path, { until: 'green', timeout: 1 });
    refusedWith(late, 'timed_out', /call await again/);
    assert.equal(late.data?.happened, 'time_over');
    succeeded(await verb('done', one.path));
    assert.equal(succeeded(await verb('await', one.path, { until: 'green' })).happened, 'green');
    const waiting = verb('await', one.path, { until: 'trunk_moved' });
    let over = false;
    const ending = waiting.finally(() => {
      over = true;
    });
    // Until it has looked at the trunk for the first time a commit is none that it sees come.
    for (let n = 0; !over; n++) await project.commit({ 'src/theirs.txt': `${n}\n` }, project.root);
    assert.equal(succeeded(await ending).happened, 'trunk_moved');
    refusedWith(await verb('await', project.root, { until: 'landed' }), 'not_in_worktree');
    refusedWith(await verb('await', project.root, { until: 'landed', worktree: 'q7' }), 'path_not_found');
  });
});
