import assert from 'node:assert/strict';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import { git } from '../support/project.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import type { ScriptedModel } from './model.ts';
import { opencode } from './opencode.ts';
import { codexSetUp, setUp } from './set-up.ts';
import { stage } from './stage.ts';

const { make, home: newHome, begin, open, clear } = stage();

/** A project that wants a proof asked for, and a linked checkout of it. */
async function scene() {
  const project = await make({ files: { 'discern-vscode.toml': '[callers]\nask_for_proof = true\n' } });
  const linked = join(project.home, 'linked');
  await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
  return { project, linked, home: await newHome() };
}

/** How often our question stands in the requests that have it: a conversation is sent whole with each. */
const timesAsked = ({ requests }: ScriptedModel) =>
  new Set(
    requests.flatMap(
      ({ body }) => JSON.stringify(body)?.match(/1 commit in [^"]+ and no proof of HEAD/g)?.length ?? [],
    ),
  );

const work = 'git commit --allow-empty -qm work';
const turns = [{ say: 'All is done.' }, { say: 'It is not proved.' }];

describe('A turn that ends with work that has no proof, where the project wants that asked,', () => {
  afterEach(clear);

  const clients: Driver[] = [codexSetUp, setUp(copilot, 'copilot'), setUp(gemini, 'gemini')];
  for (const driver of clients) {
    it(`goes on once in ${driver.name}`, async () => {
      const { linked, home } = await scene();
      const { model, run } = await begin(driver, [driver.shell(work), ...turns], { home, cwd: linked });
      await run.ended;
      assert.equal(model.played(), 3, run.said());
      assert.deepEqual([...timesAsked(model)], [1], run.said());
    });
  }

  it('goes on once in opencode, while its person is there', async () => {
    const { project, linked, home } = await scene();
    const script = [opencode.shell(work, linked), ...turns];
    const { model, terminal } = await open(setUp(opencode, 'opencode'), script, { home, cwd: project.root });
    await terminal.shows(/It is not proved\./);
    assert.equal(model.played(), 3);
    assert.deepEqual([...timesAsked(model)], [1]);
  });

  it('does not go on in opencode where a person cut it off', async () => {
    const { project, linked, home } = await scene();
    const script = [opencode.shell(`${work} && sleep 600`, linked), ...turns];
    const { model, terminal } = await open(setUp(opencode, 'opencode'), script, { home, cwd: project.root });
    await until(
      'the work is committed',
      async () => (await git(linked, 'log', '--format=%s', '-1')) === 'work',
    );
    await terminal.press('Escape');
    await terminal.press('Escape');
    await terminal.shows(/interrupted/i);
    await terminal.type('Go on.');
    await terminal.shows(/It is not proved\./);
    assert.equal(model.played(), 3);
    const goingOn = model.requests
      .map(({ body }) => JSON.stringify(body))
      .find((body) => body?.includes('"Go on."'));
    assert.ok(goingOn && !goingOn.includes('no proof of HEAD'), goingOn);
  });
});
