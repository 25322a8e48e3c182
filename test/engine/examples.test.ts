import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '../../src/contract/envelope.ts';
import { checkConfig } from '../../src/engine/config/index.ts';
import { verb } from '../support/engine.ts';
import { git, makeProject, type Project } from '../support/project.ts';

declare const DISCERN_HOME: string;

const examples = join(DISCERN_HOME, 'examples');

/** The files of an example as they are committed, by path. */
async function filesOf(example: string): Promise<Record<string, string>> {
  const listed = await git(
    DISCERN_HOME,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    `examples/${example}`,
  );
  return Object.fromEntries(
    listed
      .split('\n')
      .map((file) => [
        file.slice(`examples/${example}/`.length),
        readFileSync(join(DISCERN_HOME, file), 'utf8'),
      ]),
  );
}

/** An example as a repository of its own. */
async function projectOf(example: string): Promise<Project> {
  const { 'discern.toml': config = '', ...files } = await filesOf(example);
  return makeProject({ config, files, name: example });
}

const placed = ({ diagnostics = [] }: Envelope) =>
  diagnostics.map(({ tool, file, line }) => `${tool} ${file}:${line}`);

/** One of several texts in a file is replaced by another; fails when it is not there. */
function changed(text: string | undefined, from: string, to: string): string {
  assert.ok(text?.includes(from), `${from} is not there`);
  return (text ?? '').replace(from, to);
}

/** Which line of a text says this, from 1. */
const lineOf = (text: string | undefined, part: string) =>
  (text ?? '').split('\n').findIndex((line) => line.includes(part)) + 1;

/** Which jobs `done` runs after one file has another line, and which are reused. */
async function runAfter(project: Project, path: string, text: string | undefined, line: string) {
  await project.commit({ [path]: `${text}${line}\n` });
  const { ok, steps = [], message } = await verb('done', project.root);
  assert.equal(ok, true, message);
  return steps.filter(({ reused }) => !reused).map(({ name }) => name);
}

describe('The example of a TypeScript library', function () {
  this.timeout(120_000);
  let project: Project;
  let files: Record<string, string>;

  before(async () => {
    files = await filesOf('typescript-library');
    project = await projectOf('typescript-library');
    // Its packages are ours: the compiler, and the types of Node.
    await symlink(join(DISCERN_HOME, 'node_modules'), join(project.root, 'node_modules'), 'junction');
  });
  after(() => project.remove());

  it('is green as it stands, and proved', async () => {
    const { ok, data, message } = await verb('done', project.root);
    assert.equal(ok, true, message);
    assert.equal(data?.proof?.state, 'valid');
    assert.deepEqual(data?.jobs?.passed, 2);
  });

  it('is red where a type is wrong, with file and line', async () => {
    const source = files['src/money.ts'];
    await project.commit({
      'src/money.ts': changed(source, 'cents: a.cents + b.cents,', 'cents: String(a.cents),'),
    });
    const answer = await verb('done', project.root);
    assert.equal(answer.error, 'gate_failed');
    assert.deepEqual(placed(answer), [`tsc src/money.ts:${lineOf(source, 'cents: a.cents')}`]);
  });

  it('is red where a sum is wrong, at the line of the test that says so', async () => {
    await project.commit({
      'src/money.ts': changed(files['src/money.ts'], 'index < larger', 'index <= larger'),
    });
    const answer = await verb('done', project.root);
    assert.equal(answer.error, 'gate_failed');
    const line = lineOf(files['test/money.test.ts'], 'shares.map') - 1;
    assert.deepEqual(placed(answer), [`tap test/money.test.ts:${line}`]);
  });

  it('is green and proved once that is mended', async () => {
    const commit = await project.commit({ 'src/money.ts': files['src/money.ts'] ?? '' });
    const { ok, data, message } = await verb('done', project.root);
    assert.equal(ok, true, message);
    assert.deepEqual([data?.proof?.state, data?.proof?.commit], ['valid', commit]);
  });

  it('runs again what a change concerns, and nothing else, also where what it built is gone', async () => {
    assert.deepEqual(await runAfter(project, 'README.md', files['README.md'], 'More.'), []);
    await rm(join(project.root, 'dist'), { recursive: true });
    const test = files['test/money.test.ts'];
    assert.deepEqual(await runAfter(project, 'test/money.test.ts', test, '// more'), ['build', 'test']);
  });
});

describe('The example of a Python service', function () {
  this.timeout(120_000);
  let project: Project;
  let files: Record<string, string>;

  before(async () => {
    files = await filesOf('python-service');
    project = await projectOf('python-service');
  });
  after(() => project.remove());

  it('is green as it stands, and proved', async () => {
    const { ok, data, message } = await verb('done', project.root);
    assert.equal(ok, true, message);
    assert.equal(data?.proof?.state, 'valid');
  });

  it('is red where it does not compile, with file and line', async () => {
    const source = files['service/app.py'];
    await project.commit({
      'service/app.py': changed(source, 'percent: int) -> int:', 'percent: int) -> int'),
    });
    const answer = await verb('prepare', project.root);
    assert.equal(answer.error, 'gate_failed');
    assert.deepEqual(placed(answer), [`python service/app.py:${lineOf(source, 'percent: int) -> int:')}`]);
  });

  it('is red where a price is wrong, at the line of the test that says so', async () => {
    const wrong = changed(
      files['service/app.py'],
      '* (100 - percent) // 100',
      '* (100 - percent) // 100 + 1',
    );
    await project.commit({ 'service/app.py': wrong });
    const answer = await verb('done', project.root);
    assert.equal(answer.error, 'gate_failed');
    const test = files['tests/test_app.py'];
    assert.deepEqual(placed(answer).sort(), [
      `python tests/test_app.py:${lineOf(test, 'discounted(999, 10)')}`,
      `python tests/test_app.py:${lineOf(test, '/1000/25')}`,
    ]);
  });

  it('is green and proved once that is mended', async () => {
    const commit = await project.commit({ 'service/app.py': files['service/app.py'] ?? '' });
    const { ok, data, message } = await verb('done', project.root);
    assert.equal(ok, true, message);
    assert.deepEqual([data?.proof?.state, data?.proof?.commit], ['valid', commit]);
  });

  it('runs again what a change concerns, and nothing else', async () => {
    assert.deepEqual(await runAfter(project, 'README.md', files['README.md'], 'More.'), []);
    const test = files['tests/test_app.py'];
    assert.deepEqual(await runAfter(project, 'tests/test_app.py', test, '# more'), ['test']);
    const source = files['service/app.py'];
    assert.deepEqual(await runAfter(project, 'service/app.py', source, '# more'), ['lint', 'test']);
  });
});

describe('The example of a Rust workspace', () => {
  it('is planned as it is written; no Rust is needed for that, and none is run', async () => {
    const project = await projectOf('rust-workspace');
    const { ok, plan, message } = await verb('done', project.root, { dry_run: true });
    assert.equal(ok, true, message);
    const planned = plan?.steps.map(({ action, detail = '' }) => `${action} ${detail}`).join('\n') ?? '';
    for (const part of ['cargo fmt --all', 'cargo clippy', 'cargo test', 'cargo doc']) {
      assert.ok(planned.includes(part), `${part} in ${planned}`);
    }
    assert.ok(planned.indexOf('cargo fmt') < planned.indexOf('cargo clippy'), 'the formatter goes first');
    await project.remove();
  });
});

describe('Every example', () => {
  const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  it('has a discern.toml without a problem or a note', () => {
    assert.equal(names.length, 3);
    for (const { name } of names) {
      const text = readFileSync(join(examples, name, 'discern.toml'), 'utf8');
      const { problems, notes } = checkConfig(text, name);
      assert.deepEqual({ problems, notes }, { problems: [], notes: [] });
    }
  });
});
