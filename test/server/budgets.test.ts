import assert from 'node:assert/strict';
import { upkeepVerbs } from '../../src/contract/verbs-upkeep.ts';
import { workVerbs } from '../../src/contract/verbs-work.ts';
import { wholeAnswer } from '../../src/contract/whole.ts';
import { projects } from '../support/project.ts';
import { connections, type ToolAnswer } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

const size = (value: unknown) => JSON.stringify(value).length;

/** What agents pay: the budgets of the contract, on answers of the built server. */
describe('What an agent pays', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is at most 24,000 characters for the list of tools, and without output schemas 9,000 for those that do the work', async () => {
    const tools = await (await open()).tools();
    assert.ok(size({ tools }) <= 24_000, `${size({ tools })}`);
    const work = tools
      .filter(({ name }) => name.replace('discern_', '') in { ...workVerbs, ...upkeepVerbs })
      .map(({ outputSchema: _schema, ...tool }) => tool);
    assert.ok(size({ tools: work }) <= 9_000, `${size({ tools: work })}`);
  });

  it('is at most 1,800 characters for status, start, done and accept', async () => {
    const project = await make({
      config: '[project]\nname = "x"\n[jobs]\nlint = "true"\ntest = "true"\n',
    });
    const connection = await open({ args: ['--root', project.root] });
    const answers: ToolAnswer[] = [await connection.call('discern_status')];
    const started = await connection.call('discern_start', { name: 'work' });
    await project.commit({ 'src/b.txt': 'b\n' }, started.envelope.data.path as string);
    answers.push(started, await connection.call('discern_done'), await connection.call('discern_accept'));
    for (const { envelope, text } of answers) assert.equal(envelope.ok, true, text);
    const sizes = answers.map(({ envelope }) => size(envelope));
    const sum = sizes.reduce((all, one) => all + one, 0);
    assert.ok(sum <= 1_800, `${sizes.join(' + ')} = ${sum}`);
  });

  it('is at most 6,000 characters in either part for a red gate with 200 findings, and the whole on request', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `src/a.c:${i + 1}:7: error: something ${i} is wrong`);
    const project = await make({
      config: '[project]\nname = "x"\n[jobs]\nlint = "cat printed; exit 1"\n',
      files: { printed: `${lines.join('\n')}\n`, 'src/a.c': '\n'.repeat(200) },
    });
    const connection = await open({ args: ['--root', project.root] });
    const { envelope, text } = await connection.call('discern_done');
    assert.equal(envelope.error, 'gate_failed', text);
    assert.ok(size(envelope) <= 6_000, `${size(envelope)}`);
    assert.ok(text.length <= 6_000, `${text.length}`);
    const { diagnostics = [] } = envelope;
    const whole = await connection.call('discern_done', {}, { meta: { [wholeAnswer]: true } });
    const all = whole.envelope.diagnostics?.length ?? 0;
    assert.ok(all >= 50, `${all}`);
    assert.equal(diagnostics.length + Number(envelope.more?.diagnostics), all);
    assert.ok(whole.envelope.diagnostics?.every((one) => one.output_path !== undefined));
  });
});
