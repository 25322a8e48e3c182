import assert from 'node:assert/strict';
import type { Data } from '../../src/contract/verbs.ts';
import { json } from '../support/cli.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { at, stage } from './stage.ts';

const { make, home: newHome, begin, open, clear } = stage();

const first = 'The first request, please.\nWith a second line.';
const second = 'And the second: is it there?';

/** The environment in which the clients' homes lie in this one. */
const homeAt = (home: string) => ({ HOME: home, USERPROFILE: home });

async function ask(driver: Driver, home: string, cwd: string, prompt: string, resume: boolean) {
  const script = [driver.shell('echo hello'), { say: 'An answer.' }];
  await (await begin(driver, script, { home, cwd, prompt, resume })).end();
}

describe('Sessions of real clients', () => {
  afterEach(clear);

  for (const [driver, client, state] of [
    [claude, 'claude', 'ended'],
    [codex, 'codex', 'ended'],
    [copilot, 'copilot', 'ended'],
    [gemini, 'gemini', 'idle'],
    [opencode, 'opencode', 'idle'],
  ] as const) {
    it(`${driver.name}: one is listed with its place and state, and only what was asked is recollected`, async () => {
      const [project, home] = [await make(), await newHome()];
      await ask(driver, home, project.root, first, false);
      await ask(driver, home, project.root, second, true);
      const env = homeAt(home);
      const listed = await json<Data<'sessions'>>(['sessions', project.root], { cwd: '/', env });
      assert.equal(listed.envelope.ok, true, listed.envelope.message);
      const [one, ...others] = listed.envelope.data.sessions;
      assert.ok(one, JSON.stringify(listed.envelope));
      assert.deepEqual(others, []);
      assert.deepEqual([one.client, one.cwd, one.state], [client, project.root, state]);
      // opencode has its model name a session.
      const title = driver === opencode ? /./ : /^The first request, please\. With a second line\.$/;
      assert.match(one.title ?? '', title);
      const said = await json<Data<'recollect'>>(['recollect', one.id.slice(0, 12)], { cwd: '/', env });
      const { queries } = said.envelope.data;
      assert.deepEqual(
        queries.map(({ text }) => text),
        // What has spaces is quoted by "opencode run" itself.
        driver === opencode ? [`"${first}"`, `"${second}"`] : [first, second],
      );
      assert.ok(queries.every(({ at: time }) => !Number.isNaN(Date.parse(time ?? ''))));
    });
  }

  it('Claude Code: what was asked before a compaction is recollected too', async () => {
    const [project, home] = [await make(), await newHome()];
    await ask(claude, home, project.root, first, false);
    const compact = await begin(claude, [{ say: '<summary>So far nothing.</summary>' }], {
      home,
      cwd: project.root,
      prompt: '/compact keep the names',
      resume: true,
    });
    await compact.end();
    await ask(claude, home, project.root, second, true);
    const env = homeAt(home);
    const { sessions } = (await json<Data<'sessions'>>(['sessions'], { cwd: '/', env })).envelope.data;
    assert.equal(sessions.length, 1);
    const { id } = at(sessions, 0);
    const { queries } = (await json<Data<'recollect'>>(['recollect', id], { cwd: '/', env })).envelope.data;
    assert.deepEqual(
      queries.map(({ text }) => text),
      [first, '/compact keep the names', second],
    );
  });

  for (const [driver, compact, compacted] of [
    [codex, '/compact', /Context compacted/],
    [copilot, '/compact keep the names', /Compaction completed/],
  ] as const) {
    it(`${driver.name}: what was asked before a compaction is recollected too`, async () => {
      const [project, home] = [await make(), await newHome()];
      const script = [{ say: 'Answer one.' }, { say: 'Answer two.' }];
      const prompt = 'The first request, please.';
      const { terminal } = await open(driver, script, { home, cwd: project.root, prompt });
      await terminal.shows(/Answer one\./);
      await terminal.type(compact);
      await terminal.shows(compacted);
      await terminal.type(second);
      await terminal.shows(/(?:Answer two|done)\.?/);
      const env = homeAt(home);
      const { sessions } = (await json<Data<'sessions'>>(['sessions'], { cwd: '/', env })).envelope.data;
      const { id } = at(sessions, 0);
      const { queries } = (await json<Data<'recollect'>>(['recollect', id], { cwd: '/', env })).envelope.data;
      assert.deepEqual(
        queries.map(({ text }) => text),
        [prompt, second],
      );
    });
  }

  const question = {
    tool: 'AskUserQuestion',
    input: {
      questions: [
        {
          question: 'Which of them?',
          header: 'Choice',
          multiSelect: false,
          options: [
            { label: 'One', description: 'The first.' },
            { label: 'Two', description: 'The second.' },
          ],
        },
      ],
    },
  };
  const fetching = { tool: 'WebFetch', input: { url: 'http://127.0.0.1:9/', prompt: 'Read it.' } };

  for (const [what, turn, wanted] of [
    ['works', claude.shell('sleep 600'), ['working', undefined]],
    ['asks a question', question, ['waiting', 'asks a question']],
    ['asks for permission', fetching, ['waiting', 'asks for permission']],
    ['has answered', { say: 'It is done.' }, ['idle', undefined]],
    ['has answered with a question', { say: 'Shall I go on?' }, ['waiting', 'asks a question']],
  ] as const) {
    it(`Claude Code in a terminal that ${what} is told as such`, async () => {
      const [project, home] = [await make(), await newHome()];
      await open(claude, [turn], { home, cwd: project.root, prompt: 'Do it.' });
      const look = async () => {
        const { data } = (await json<Data<'sessions'>>(['sessions'], { cwd: '/', env: homeAt(home) }))
          .envelope;
        return data.sessions.map(({ state, needs_attention: why }) => [state, why]);
      };
      const said = JSON.stringify([wanted]);
      let seen = '';
      for (let looks = 0; looks < 80 && seen !== said; looks++) seen = JSON.stringify(await look());
      assert.equal(seen, said);
    });
  }
});
