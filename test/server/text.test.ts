import assert from 'node:assert/strict';
import type { Envelope } from '../../src/contract/envelope.ts';
import { git, type Project, projects } from '../support/project.ts';
import { type ClientName, clients, connections } from '../support/server.ts';
import { rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();

/** What the text of one answer may cost an agent, in characters. */
const BOUND = 6_001;

const jobs = (table: Record<string, string>) =>
  `[project]\nname = "x"\n[gate]\nfail_fast = false\n[jobs]\n${Object.entries(table)
    .map(([name, command]) => `${name} = ${JSON.stringify(command)}\n`)
    .join('')}`;

/** Prints `count` errors in the shape of gcc and fails. */
const errors = (file: string, count: number, message = 'something is wrong here') =>
  `for i in $(seq 1 ${count}); do echo "${file}:$i:7: error: ${message} $i"; done; exit 1`;

describe('The text of an answer', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('names each standard that was asked for, and after done those that are not as they should be', async () => {
    const one = (name: string, value: number, more = '') =>
      `[standards.${name}]\ndirection = "down"\nlimit = 5\nrun = "echo DISCERN_METRIC ${name} ${value}"\n${more}`;
    // Otherwise the one that got worse cancels the other, if that has not been measured by then.
    const gate = '[gate]\nfail_fast = false\n';
    const config = gate + one('good', 4) + one('bad', 6) + one('slow', 1, 'measure = "on-demand"\n');
    const project = await make({ config });
    const connection = await open({ args: ['--root', project.root] });
    const measured = await connection.call('discern_standards');
    assert.match(measured.text, /^standards: standard_regressed\. bad got worse than the limit/);
    assert.match(measured.text, /^- good holds: 4 \(ceiling 5; could be pinned at 4\)$/m);
    assert.match(measured.text, /^- bad got worse: 6 \(ceiling 5\)$/m);
    const done = await connection.call('discern_done');
    assert.match(done.text, /^done: standard_regressed\./);
    assert.doesNotMatch(done.text, /^- good/m);
    assert.match(
      done.text,
      /^- bad got worse: 6 \(ceiling 5\)\n- slow measured on demand only \(ceiling 5\)$/m,
    );
  });

  it('says verdict, root, branch, commit and what to do next', async () => {
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    const started = await connection.call('discern_start', { name: 'x' });
    const { path, branch } = started.envelope.data as { path: string; branch: string };
    const commit = (await git(path, 'rev-parse', 'HEAD')).slice(0, 10);
    const place = `root: ${path}  branch: ${branch}  commit: ${commit}`;
    assert.match(started.text, /^start: ok\. Worktree ready\.\n/);
    for (const part of [place, `path: ${path}`, 'from: main', 'Move your working directory']) {
      assert.ok(started.text.includes(part), started.text);
    }

    const status = await connection.call('discern_status');
    assert.ok(status.text.startsWith('status: ok.'), status.text);
    assert.ok(status.text.includes(`\n${place}\n`), status.text);
    assert.match(
      status.text,
      /\nworktree, trunk main: 0 ahead, 0 behind; 0 staged, 0 unstaged, 0 untracked\n/,
    );
    assert.match(status.text, /\nproof: none/);
    assert.ok(status.text.includes(`- ${project.root} (main; trunk`), status.text);

    const done = await connection.call('discern_done');
    assert.match(done.text, /^done: ok\. 2 jobs passed\. Proof recorded\.\n/);
    assert.ok(done.text.includes(place), done.text);
    assert.match(done.text, /\njobs: lint passed \d+\.\ds, test passed \d+\.\ds/);

    const elsewhere = await connection.call('discern_test', { path: project.root });
    assert.ok(elsewhere.text.includes(`root: ${project.root}  branch: main`), elsewhere.text);
    assert.ok(elsewhere.text.includes(`held root: ${path}`), 'it tells when it is not about the held root');
    assert.ok(!done.text.includes('held root:'), 'and only then');

    const refused = await connection.call('discern_accept');
    assert.match(refused.text, /^accept: invalid_argument\. .* commit the work first, or call drop\.\n/);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const landed = await connection.call('discern_accept');
    assert.match(landed.text, /^accept: ok\. Landed /);
    assert.match(landed.text, /\nlanding: trunk_landed, worktree_removed, branch_deleted/);
    assert.ok(landed.text.includes(`root: ${project.root}  branch: main`), landed.text);
  });

  it('names failures by file and line, where the output is, and how to see it again', async () => {
    const lint = errors('src/a.txt', 2, 'bad word');
    const project = await make({ config: jobs({ lint, test: 'echo no shape at all; exit 4' }) });
    const connection = await open({ args: ['--root', project.root] });
    const { envelope, text } = await connection.call('discern_done');
    assert.match(text, /^done: gate_failed\. lint, test failed: fix what the diagnostics name/);
    assert.ok(
      text.includes('- src/a.txt:1:7: error: bad word 1\n- src/a.txt:2:7: error: bad word 2\n'),
      text,
    );
    assert.match(text, /- test: error: .*no shape at all/);
    assert.ok(text.includes('output of test (tail):\nno shape at all\n'), text);
    for (const step of envelope.steps ?? []) {
      assert.ok(text.includes(`full output: ${step.output_path}`), `${step.name}: ${text}`);
    }
    assert.ok(text.includes(`reproduce: ${lint}`) && text.includes('reproduce: echo no shape'), text);
  });

  it('stays short, and still shows every failed job, when one of them prints a thousand long errors', async () => {
    const long = 'word '.repeat(300);
    const project = await make({
      config: jobs({ lint: errors('src/noisy.c', 1000, long), test: errors('src/quiet.c', 1) }),
      files: { 'src/noisy.c': '', 'src/quiet.c': '' },
    });
    const connection = await open({ args: ['--root', project.root] });
    const { envelope, text } = await connection.call('discern_done');
    assert.equal(envelope.error, 'gate_failed');
    assert.ok(text.length < BOUND, `${text.length} characters`);
    assert.match(text, /- src\/noisy\.c:1:7: error: word/);
    assert.match(text, /- and \d+ more\n/);
    assert.match(text, /- src\/quiet\.c:1:7: error: something is wrong here 1\n/);
  });

  it('stays short for many failed jobs, many notes, and a plan of many steps', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`job${index}`, `echo ${'x'.repeat(900)}; exit 1`]),
    );
    const config = `[project]\nname = "x"\n[gate]\nfail_fast = false\n${Object.entries(many)
      .map(([name, run]) => `[jobs.${name}]\nstage = "check"\nrun = ${JSON.stringify(run)}\n`)
      .join('')}`;
    const project = await make({ config });
    const connection = await open({ args: ['--root', project.root] });
    const done = await connection.call('discern_done');
    assert.equal((done.envelope.steps?.length ?? 0) + Number(done.envelope.more?.steps), 60);
    assert.ok(done.text.length < BOUND, `${done.text.length} characters`);
    assert.match(done.text, /\nand 50 more failed jobs/);
    const plan = await connection.call('discern_done', { dry_run: true });
    assert.ok(plan.text.length < BOUND, `${plan.text.length} characters`);
    assert.match(plan.text, /^done: preview, nothing was changed\.\n/);
    assert.match(plan.text, /\n- and 30 more/);
  });

  it('stays short for a conflict in a thousand files', async () => {
    const files = (content: string) =>
      Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`src/file-number-${index}.txt`, content]),
      );
    const project = await make({ files: files('one\n') });
    const connection = await open({ args: ['--root', project.root] });
    const { envelope } = await connection.call('discern_start', { name: 'x' });
    await project.commit(files('theirs\n'), envelope.data.path as string);
    await project.commit(files('ours\n'));
    const updated = await connection.call('discern_update');
    assert.equal(updated.envelope.error, 'merge_conflict');
    const listed = (updated.envelope.data.conflicts as string[]).length;
    assert.equal(listed + Number(updated.envelope.more?.conflicts), 1000);
    assert.ok(updated.text.length < BOUND, `${updated.text.length} characters`);
    assert.ok(updated.text.includes('src/file-number-0.txt'), updated.text);
    assert.ok(updated.text.includes('Run "git merge main" here'), 'what to do next is not cut');
  });
});

describe('A start’s answer tells how to move', () => {
  let project: Project;

  before(async () => {
    project = await make();
    await project.write({ 'src/a.txt': 'edited\n' });
  });
  after(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  /** The clients' own names, as they send them, and what only their users would be told. */
  const hosts: [string, RegExp][] = [
    ['Visual Studio Code', /with absolute paths, and run terminal commands with "cd /],
    ['Visual Studio Code - Insiders', /with absolute paths, and run terminal commands with "cd /],
    ['github-copilot-developer', /use \/worktree or \/cwd/],
    ['claude-code', /call EnterWorktree with path /],
    ['codex-mcp-client', /run every command with workdir /],
    ['cursor-vscode', /stays where it was launched: use absolute paths/],
    ['gemini-cli-mcp-client', /\/directory add /],
    ['claude-ai', /Move your working directory to \/.+; edit only there/],
    ['something else', /Move your working directory to \/.+; edit only there/],
  ];

  function assertAdvice(name: string, envelope: Envelope, text: string): void {
    const [advice = ''] = envelope.hints ?? [];
    const path = envelope.data?.path as string;
    assert.ok(text.includes(`path: ${path}`), text);
    // In the structure the path stands beside the advice, and may be named by its member.
    const spelled = advice.replace('`path`', path);
    assert.ok(spelled.includes(path), advice);
    assert.ok(text.includes(`note: ${spelled}`), text);
    const [, words = /^$/] = hosts.find(([host]) => host === name) ?? [];
    assert.match(spelled, words, name);
    for (const [other, theirs] of hosts) {
      if (theirs.source !== words.source) assert.doesNotMatch(spelled, theirs, `${name}, not ${other}`);
    }
  }

  it('in the words of every host, by the name a request of the newest era carries', async () => {
    const server = raw.start(['--root', project.root]);
    for (const [index, [name]] of hosts.entries()) {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      server.send(toolCall(index, 'discern_start', { path: project.root }, meta));
      const { structuredContent: envelope, content } = (await server.answer(index)).result ?? {};
      assert.ok(envelope);
      assertAdvice(name, envelope, content?.[0]?.text ?? '');
    }
  });

  for (const [index, name] of ['Visual Studio Code', 'claude-code', 'cursor-vscode'].entries()) {
    const client: ClientName = clients[index] ?? 'SDK 1.x';
    it(`in the words of ${name}, and that edits stay behind (${client})`, async () => {
      const connection = await open({ args: ['--root', project.root], name }, client);
      const { envelope, text } = await connection.call('discern_start');
      assertAdvice(name, envelope, text);
      assert.ok(text.includes(`note: 1 uncommitted change stays in ${project.root}`), text);
      assert.equal(await git(project.root, 'diff', '--name-only'), 'src/a.txt');
    });
  }
});
