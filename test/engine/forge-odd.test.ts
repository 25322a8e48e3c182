import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import * as z from 'zod';
import { findJson } from '../../src/engine/forge/said.ts';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { type ForgeScript, forgeScript, prints, printsJson } from '../support/forge-cli.ts';
import { runs } from '../support/processes.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A worktree of a project whose remote is called as on a forge, and lies in a bare repository beside it. */
async function onForge(url: string) {
  const project = await make();
  const hub = join(project.home, 'hub.git');
  await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
  await git(project.root, 'config', `url.${hub}.insteadOf`, url);
  await git(project.root, 'remote', 'add', 'origin', url);
  await git(project.root, 'fetch', '--quiet', 'origin');
  const path = join(project.home, 'work');
  await git(project.root, 'worktree', 'add', '--quiet', '-b', 'work', path);
  const commit = await project.commit({ 'src/b.txt': 'b\n' }, path, 'Work');
  return { project, hub, path, commit };
}

const github = 'https://github.com/acme/shop.git';
const notice =
  'A new release of gh is available: 2.40.0 → 2.81.0\n[warn] the token expires soon\n{not json}\n';
const noisy = (value: unknown) => prints(`${notice}${JSON.stringify(value, undefined, 2)}\nBye [now]`);

describe('A forge’s command line that is odd', () => {
  let cli: ForgeScript | undefined;
  beforeEach(() => {
    process.env.DISCERN_FORGE_POLL = '0.01';
  });
  afterEach(async () => {
    cli?.end();
    delete process.env.DISCERN_FORGE_POLL;
    delete process.env.DISCERN_FORGE_TIMEOUT;
    await removeAll();
  });

  const open = (commit: string) => ({
    number: 7,
    url: 'https://github.com/acme/shop/pull/7',
    state: 'OPEN',
    headRefOid: commit,
    isCrossRepository: false,
  });
  const check = (bucket: string) => ({ name: 'test', bucket, link: 'https://x/actions/runs/1/job/2' });

  it('and prints notices around its answers is understood', async () => {
    const { project, hub, path, commit } = await onForge(github);
    cli = await forgeScript('gh', project.home);
    await cli.answers('pr list', noisy([]));
    await cli.answers('pr create', prints(`${notice}https://github.com/acme/shop/pull/7\nThank you`));
    const answer = succeeded(await verb('accept', path, { pr: true }));
    assert.deepEqual([answer.pull_request?.number, answer.pull_request?.state], [7, 'opened']);
    assert.equal(await git(hub, 'rev-parse', 'work'), commit);
    await cli.answers('pr list', noisy([open(commit)]));
    await cli.answers('pr checks', noisy([check('pass')]));
    const awaited = succeeded(await verb('await', path, { until: 'checks' }));
    assert.deepEqual(awaited.pull_request?.checks, [{ name: 'test', state: 'passed', url: check('').link }]);
  });

  it('and hangs with the log of a failed check: the check is told all the same, and nothing runs on', async () => {
    const { project, path, commit } = await onForge(github);
    cli = await forgeScript('gh', project.home);
    await cli.answers('pr list', printsJson([open(commit)]));
    await cli.answers('pr checks', printsJson([check('fail')]));
    const pids = join(project.home, 'pids');
    await cli.answers('run view', `sleep 600 & echo "$! $$" > '${pids}'; wait`);
    process.env.DISCERN_FORGE_TIMEOUT = '0.5';
    const answer = await verb('await', path, { until: 'checks' });
    refusedWith(answer, 'gate_failed', /1 check of 1 failed: "test"/);
    assert.match(answer.diagnostics?.[0]?.message ?? '', /The check "test" failed: https:/);
    for (const pid of (await readFile(pids, 'utf8')).trim().split(' '))
      assert.equal(runs(Number(pid)), false);
  });

  it('and does not answer for a moment is asked again while its checks are waited for, and not for ever', async () => {
    const { project, path, commit } = await onForge(github);
    cli = await forgeScript('gh', project.home);
    const asked = join(project.home, 'asked');
    await cli.answers('pr list', printsJson([open(commit)]));
    const inTurn = (...answers: string[]) =>
      `echo >> '${asked}'; case $(wc -l < '${asked}' | tr -d ' ') in ${answers
        .map((one, at) => `${at + 1}) ${one}\n;;`)
        .join(' ')} *) ${answers.at(-1)}\n;; esac`;
    const away = 'echo "error connecting to api.github.com" >&2; exit 1';
    await cli.answers(
      'pr checks',
      inTurn(printsJson([check('pending')]), away, away, printsJson([check('pass')])),
    );
    assert.equal(succeeded(await verb('await', path, { until: 'checks' })).happened, 'checks');
    await cli.answers('pr checks', away);
    refusedWith(await verb('await', path, { until: 'checks' }), 'unavailable', /error connecting/);
    await cli.answers('pr checks', inTurn(away));
    refusedWith(await verb('await', path, { until: 'checks' }), 'unavailable', /error connecting/);
  });

  for (const [tool, url] of [
    ['glab', 'https://gitlab.com/acme/shop.git'],
    ['tea', 'https://codeberg.org/acme/shop.git'],
  ] as const) {
    it(`and hangs, asks, is logged out, or answers something else is a plain refusal, and nothing is pushed (${tool})`, async () => {
      const { project, hub, path } = await onForge(url);
      const login = printsJson([{ name: 'me', url: 'https://codeberg.org', ssh_host: '' }]);
      cli = await forgeScript(tool, project.home);
      const asks = tool === 'glab' ? 'api' : 'pulls list';
      if (tool === 'tea') await cli.answers('login list', login);
      const before = await git(hub, 'for-each-ref');
      const cases: [string, string, RegExp][] = [
        ['printf "Password: "; read -r answer || exit 1; echo "[]"', 'unavailable', /could not list/],
        ['echo "401 Unauthorized" >&2; exit 1', 'unavailable', new RegExp(`Run "${tool} (auth )?login`)],
        ['echo "{\\"message\\": \\"moved\\"}"', 'unavailable', /does not understand/],
        ['echo null', 'unavailable', /does not understand/],
        ['sleep 600', 'timed_out', /took longer than/],
      ];
      for (const [shell, slug, message] of cases) {
        if (slug === 'timed_out') process.env.DISCERN_FORGE_TIMEOUT = '0.3';
        await cli.answers(asks, shell);
        refusedWith(await verb('accept', path, { pr: true }), slug, message);
        assert.equal(await git(hub, 'for-each-ref'), before, shell);
      }
    });
  }

  it('has its JSON found whatever lines stand around it, and nothing else taken for it', () => {
    const shape = z.array(z.object({ id: z.number() }));
    const line = fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ' '));
    // No line is a list by itself, nor do two of them make one.
    const strange = line.filter((text) => !/^\s*\[\s*\]?\s*$/.test(text));
    fc.assert(
      fc.property(
        fc.array(strange, { maxLength: 6 }),
        fc.array(fc.record({ id: fc.integer() }, { noNullPrototype: true })),
        fc.array(strange, { maxLength: 6 }),
        fc.boolean(),
        (before, value, after, wide) => {
          const json = JSON.stringify(value, undefined, wide ? 2 : 0);
          assert.deepEqual(findJson([...before, json, ...after].join('\n'), shape), { value });
          assert.equal(findJson([...before, ...after].join('\n'), z.object({ no: z.number() })), undefined);
        },
      ),
    );
  });
});
