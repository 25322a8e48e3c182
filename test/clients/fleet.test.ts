import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Data } from '../../src/contract/verbs.ts';
import { json } from '../support/cli.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { commit, stage } from './stage.ts';
import type { Answer } from './wires.ts';

const { make, home: newHome, begin, open, clear } = stage();

const question: Answer = {
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

/** Claude Code trusts what lies in a folder it was told to trust; its settings are one file for all that run. */
const trusting = (folder: string): Driver => ({
  ...claude,
  interactive: (launch) =>
    claude.interactive?.({ ...launch, cwd: folder }) ?? Promise.reject(new Error('no')),
});

describe('The fleet of real clients', () => {
  afterEach(clear);

  it('names exactly those worktrees whose client asks, waits for permission, is red, or edits in the wrong checkout', async () => {
    const [project, home] = [await make(), await newHome()];
    const env = { HOME: home, USERPROFILE: home, DISCERN_STATE_DIR: '', XDG_STATE_HOME: '' };
    const path = async (name: string) => {
      const { envelope } = await json<Data<'start'>>(['start', name], { cwd: project.root, env });
      assert.equal(envelope.ok, true, envelope.message);
      return envelope.data.path;
    };
    const names = ['asks', 'talks', 'permits', 'works', 'idles', 'red', 'green', 'empty'] as const;
    const at = {} as Record<(typeof names)[number], string>;
    for (const name of names) at[name] = await path(name);

    const once = async (driver: Driver, cwd: string, script: Answer[]) =>
      (await begin(driver, [...script, { say: 'That is all.' }], { home, cwd })).end();
    await once(codex, at.red, [codex.shell(commit('src/b.txt', 'BROKEN')), codex.ours('done')]);
    await once(copilot, at.green, [copilot.shell(commit('src/c.txt', 'fine')), copilot.ours('done')]);
    // Launched in the main checkout, it edits there what it should edit in a worktree.
    await once(codex, project.root, [codex.shell('echo astray >> src/a.txt')]);

    const person = trusting(project.home);
    const fetching = { tool: 'WebFetch', input: { url: 'http://127.0.0.1:9/', prompt: 'Read it.' } };
    for (const [cwd, turn] of [
      [at.asks, question],
      [at.talks, { say: 'Shall I go on?' }],
      [at.permits, fetching],
      [at.works, claude.shell('sleep 600')],
      [at.idles, { say: 'It is done.' }],
    ] as const) {
      await open(person, [turn], { home, cwd, prompt: 'Do it.' });
    }

    const look = async () => {
      const { data } = (await json<Data<'fleet'>>(['fleet'], { cwd: '/', env })).envelope;
      const rows = data.projects.flatMap(({ worktrees }) => worktrees);
      const named = rows.map(({ path: place, needs_attention: why }) => [place, why] as const);
      const states = rows.flatMap(({ path: place, sessions }) =>
        sessions.map(({ client, state }) => [place, `${client} ${state}`] as const),
      );
      return {
        needs: Object.fromEntries(named.filter(([, why]) => why !== undefined)),
        sessions: Object.fromEntries(states),
        counted: data.attention,
      };
    };
    const wanted = {
      needs: {
        [at.asks]: ['asks a question'],
        [at.talks]: ['asks a question'],
        [at.permits]: ['asks for permission'],
        [at.red]: ['gate red'],
        [project.root]: ['strand'],
      },
      sessions: {
        [at.asks]: 'claude waiting',
        [at.talks]: 'claude waiting',
        [at.permits]: 'claude waiting',
        [at.works]: 'claude working',
        [at.idles]: 'claude idle',
        [at.red]: 'codex ended',
        [at.green]: 'copilot ended',
        [project.root]: 'codex ended',
      },
      counted: 5,
    };
    let seen = await look();
    // The clients in terminals get there in their own time.
    for (let looks = 0; looks < 60 && !isDeepStrictEqual(seen, wanted); looks++) seen = await look();
    assert.deepEqual(seen, wanted);
  });
});
