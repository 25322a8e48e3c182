import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { confirm } from '../../src/cli/confirm.ts';
import type { InitData } from '../../src/contract/data.ts';
import { cli, json } from '../support/cli.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();
const unmade = () => make({ config: null, files: { Makefile: 'test:\n\ttest -f src/a.txt\n' } });

const isThere = (root: string) =>
  access(join(root, 'discern.toml')).then(
    () => true,
    () => false,
  );

describe('discern init', () => {
  afterEach(removeAll);

  it('--yes writes the file and proves it', async () => {
    const { root } = await unmade();
    const { code, stdout } = await cli(['init', '--yes'], { cwd: root });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /discern\.toml is written, and its gate is green/);
    assert.match(stdout, /hint: Commit it, and only it/);
    assert.match(await readFile(join(root, 'discern.toml'), 'utf8'), /test = "make test"/);
  });

  it('--dry-run shows the plan and the text, and writes nothing', async () => {
    const { root } = await unmade();
    const { code, stdout } = await cli(['init', '-n'], { cwd: join(root, 'src') });
    assert.equal(code, 0);
    assert.match(stdout, /Make .*app a discern project \(a preview: nothing was changed\)/);
    assert.match(stdout, /^ {2}│ test = "make test" # Makefile test$/m);
    assert.match(stdout, /prove/);
    assert.equal(await isThere(root), false);
  });

  it('without a terminal to ask on writes nothing, and says which option decides', async () => {
    const { root } = await unmade();
    const { code, stdout } = await cli(['init'], { cwd: root });
    assert.equal(code, 1);
    assert.match(stdout, /add --yes to write, or --dry-run/);
    assert.equal(await isThere(root), false);
    const { envelope, result } = await json<InitData>(['init'], { cwd: root });
    assert.equal(envelope.error, 'invalid_argument');
    assert.match(envelope.data.text, /make test/);
    assert.equal(result.code, 1);
    assert.equal(await isThere(root), false);
  });

  it('--json answers its envelope, --no-prove runs nothing', async () => {
    const { root } = await unmade();
    const { envelope } = await json<InitData>(['init', '--yes', '--no-prove', '--path', root], { cwd: '/' });
    assert.equal(envelope.ok, true, envelope.message);
    assert.equal(envelope.data.proved?.state, 'not_run');
    const again = await json<InitData>(['init', '--yes'], { cwd: root });
    assert.equal(again.envelope.error, 'path_exists');
    assert.equal(again.result.code, 1);
  });
});

describe('A question at a terminal', () => {
  const ask = async (typed: string | undefined, signal = new AbortController().signal) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = confirm('Write it?', { input, output }, signal);
    if (typed === undefined) input.end();
    else input.write(typed);
    return { said: await answer, shown: String(output.read() ?? '') };
  };

  it('takes yes, an empty line and no, and asks again for anything else', async () => {
    assert.deepEqual(await ask('y\n'), { said: true, shown: 'Write it? [Y/n] ' });
    assert.equal((await ask('\n')).said, true);
    assert.equal((await ask('No\n')).said, false);
    const again = await ask('what\nyes\n');
    assert.equal(again.said, true);
    assert.equal(again.shown, 'Write it? [Y/n] Write it? [Y/n] ');
  });

  it('takes the end of the input and an interruption for no', async () => {
    assert.equal((await ask(undefined)).said, false);
    const abort = new AbortController();
    const asking = ask('', abort.signal);
    abort.abort();
    assert.equal((await asking).said, false);
  });
});
