import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AcceptData, StartData } from '../../src/contract/data.ts';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { Verb } from '../../src/contract/verbs.ts';
import { json } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks } from '../support/invariants.ts';
import { playsPart, processes } from '../support/processes.ts';
import { commit, git, makeProject, type Project, plainConfig } from '../support/project.ts';
import { connections } from '../support/server.ts';

/** How a worker of the crowd calls a verb: from a process of its own, at a terminal, over MCP. */
type Call = (name: Verb, directory: string, args?: Record<string, unknown>) => Promise<Envelope>;

interface Report {
  landed: string[];
  /** How often each verb answered what. */
  answers: Record<string, number>;
}

/**
 * One worker: starts a worktree, commits `files`, gates and accepts, and when it is told that it is behind or that others
 * are at it, does what it is told and goes on. Anything else is no answer to a crowd.
 */
async function work(call: Call, root: string, files: Record<string, string>, name: string): Promise<Report> {
  const report: Report = { landed: [], answers: {} };
  const ask: Call = async (verbName, directory, args) => {
    const answer = await call(verbName, directory, args);
    const key = `${verbName} ${answer.error ?? 'ok'}`;
    report.answers[key] = (report.answers[key] ?? 0) + 1;
    const expected = ['behind_trunk', 'busy'].includes(answer.error ?? 'busy');
    assert.ok(answer.ok || expected, `${key}: ${answer.message}`);
    return answer;
  };
  const { path } = (await ask('start', root, { name })).data as StartData;
  await commit(files, path, `work of ${name}`);
  for (let tries = 0; tries < 200; tries++) {
    const gated = tries % 2 === 0 ? await ask('done', path) : undefined;
    const answer = gated && !gated.ok ? gated : await ask('accept', path);
    if (answer.ok) {
      report.landed.push((answer.data as AcceptData).landed_commit ?? '');
      return report;
    }
    if (answer.error === 'behind_trunk') await ask('update', path);
    else await sleep(30);
  }
  throw new Error(`${name} never landed: ${JSON.stringify(report.answers)}`);
}

const parts = {
  async work(root: string, name: string, files: string) {
    const call: Call = async (verbName, directory, args = {}) =>
      (await verb(verbName, directory, args as never)) as Envelope;
    process.stdout.write(JSON.stringify(await work(call, root, JSON.parse(files), name)));
  },
};

/** What the landing proofs say, and whether each is of its own commit, tree and config alone. */
async function checkProofs(project: Project): Promise<{ proofs: number; configs: number }> {
  const folder = join(project.root, '.git/discern-vscode/proofs');
  const digests = new Map<string, string>();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  for (const name of names) {
    const proof = JSON.parse(await readFile(join(folder, name), 'utf8'));
    const [tree = '', config = ''] = (
      await git(project.root, 'rev-parse', `${proof.commit}^{tree}`, `${proof.commit}:discern.toml`)
    ).split('\n');
    assert.equal(proof.tree, tree);
    assert.ok(name.startsWith(proof.commit));
    assert.equal(digests.get(config) ?? proof.config_digest, proof.config_digest, 'one config, one digest');
    digests.set(config, proof.config_digest);
  }
  assert.equal(new Set(digests.values()).size, digests.size, 'two configs, two digests');
  return { proofs: names.length, configs: digests.size };
}

if (!playsPart(parts)) {
  const players = processes(__filename);
  const { open, closeAll } = connections();

  describe('A crowd that works in one repository at once', function () {
    this.timeout(300_000);
    let project: Project;
    before(async () => {
      project = await makeProject();
    });
    after(async () => {
      await closeAll();
      await players.endAll();
      await project.remove();
    });

    it('lands all it does: each proved, one after the other, together with what landed before', async () => {
      const { root } = project;
      const changed = { 'discern.toml': `${plainConfig}smoke = "true"\n` };
      const played = ['one', 'two', 'three', 'four'].map(async (name) => {
        const files = { [`${name}.txt`]: `${name}\n`, ...(name === 'two' && changed) };
        const player = players.play('work', root, name, JSON.stringify(files));
        assert.equal(await player.ended, 0, name);
        return JSON.parse(player.said()) as Report;
      });
      const terminal: Call = async (verbName, directory, args = {}) => {
        const name = typeof args.name === 'string' ? [args.name] : [];
        return (await json([verbName, ...name], { cwd: directory })).envelope;
      };
      const connection = await open({ args: ['--root', root] });
      const agent: Call = async (verbName, directory, args = {}) =>
        (await connection.call(`discern_${verbName}`, { ...args, path: directory })).envelope as Envelope;
      const reports = await Promise.all([
        ...played,
        work(terminal, root, { 'terminal.txt': 'terminal\n' }, 'terminal'),
        work(agent, root, { 'agent.txt': 'agent\n' }, 'agent'),
      ]);

      const landed = reports.flatMap((report) => report.landed);
      assert.equal(new Set(landed).size, 6);
      const log = await git(root, 'reflog', 'show', '--format=%H %gs', 'main');
      const accepted = log.split('\n').filter((line) => line.includes('discern: accept'));
      assert.deepEqual(
        accepted.map((line) => line.slice(0, 40)).sort(),
        [...landed].sort(),
        'only what was accepted',
      );
      const proofs = await readdir(join(root, '.git/discern-vscode/proofs'));
      for (const commit of landed) {
        assert.ok(
          proofs.some((name) => name.startsWith(commit)),
          `${commit} is proved`,
        );
        await git(root, 'merge-base', '--is-ancestor', commit, 'main');
      }
      const names = ['one', 'two', 'three', 'four', 'terminal', 'agent'].map((name) => `${name}.txt`);
      assert.deepEqual((await git(root, 'ls-files', ...names)).split('\n'), names.sort());
      const counted = await checkProofs(project);
      assert.equal(counted.configs, 2);
      const status = await assertSound(project, landed);
      assert.equal(status.worktrees.length, 1);
      assert.equal(status.findings, undefined);
      await assertWorks(project);

      const answers: Record<string, number> = {};
      for (const [name, number] of reports.flatMap((report) => Object.entries(report.answers))) {
        answers[name] = (answers[name] ?? 0) + number;
      }
      const list = Object.entries(answers).sort();
      console.log(
        `    ${reports.length} at once, ${landed.length} landed, ${counted.proofs} proofs under ${counted.configs} configs: ${list.map(([name, number]) => `${name} ${number}`).join(', ')}`,
      );
    });
  });
}
