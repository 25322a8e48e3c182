import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findings, tempFolder } from './diagnostics-job.ts';

/** Whether a program is on this machine: those that are not are covered by the samples alone. */
function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args.length > 0 ? args : ['--version'], { shell: false }).status === 0;
}

const modules = join(process.cwd(), 'node_modules');

describe('diagnostics of what the tools really print', () => {
  let root: string;
  beforeEach(async () => {
    root = await tempFolder();
  });
  afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

  /** Writes the files, runs the program in the root and reads both its streams. */
  async function run(files: Record<string, string>, program: string, ...args: string[]): Promise<string[]> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    const { NODE_TEST_CONTEXT: _, FORCE_COLOR: __, ...env } = process.env;
    const { stdout, stderr, status, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8', env });
    assert.equal(error, undefined);
    assert.notEqual(status, 0);
    return findings(stderr + stdout, root);
  }

  it('a report that is a pipe is refused, and waited for by nobody', async () => {
    assert.equal(spawnSync('mkfifo', [join(root, 'pipe.sarif')]).status, 0);
    assert.deepEqual(await findings('DISCERN_PROBLEMS pipe.sarif\n', root), [
      'error check The job check failed; it printed no error, but 1 warning.',
      'warning check The report pipe.sarif, which the job names in DISCERN_PROBLEMS, was not read: it is not a file.',
    ]);
  });

  const node = (files: Record<string, string>, ...args: string[]) => run(files, process.execPath, ...args);

  describe('tsc', () => {
    const files = { 'src/a.ts': "const x: number = 'a';\nexport const y: { a: 1 } = { a: x };\n" };
    for (const pretty of ['false', 'true']) {
      it(`is read with --pretty ${pretty}`, async () => {
        const args = ['--noEmit', '--strict', '--ignoreConfig', '--pretty', pretty, 'src/a.ts'];
        assert.deepEqual(await node(files, join(modules, 'typescript/bin/tsc'), ...args), [
          "error tsc src/a.ts:1:7 [TS2322] Type 'string' is not assignable to type 'number'.",
          "error tsc src/a.ts:2:30 [TS2322] Type 'number' is not assignable to type '1'.",
        ]);
      });
    }
  });

  it('biome is read', async () => {
    const files = { 'a.ts': 'debugger;\n', 'biome.json': '{ "root": true }' };
    assert.deepEqual(await node(files, join(modules, '@biomejs/biome/bin/biome'), 'lint', 'a.ts'), [
      'error biome a.ts:1:1 [lint/suspicious/noDebugger] This is an unexpected use of the debugger statement.',
    ]);
  });

  it('esbuild is read', async () => {
    const files = { 'a.ts': 'export const x: number = 1 +;\n' };
    const build = `try { require(${JSON.stringify(join(modules, 'esbuild'))}).buildSync({ entryPoints: ['a.ts'] }) }
      catch { process.exit(1) }`;
    assert.deepEqual(await node(files, '-e', build), ['error esbuild a.ts:1:29 Unexpected ";"']);
  });

  describe("node's test runner", () => {
    const files = {
      'a.test.mjs': `import assert from 'node:assert';
import test from 'node:test';
test('passes', () => console.log('src/x.c:1:2: error: only a log'));
test('fails', () => {
  assert.strictEqual(1, 2);
});
test('later', { todo: true }, () => assert.fail('later'));
test('outer', async (t) => {
  await t.test('inner', () => {
    throw new Error('boom');
  });
});
`,
    };
    // What the reporters say of an error differs between versions of node; names and places do not.
    for (const [reporter, tool] of [
      ['tap', 'tap'],
      ['spec', 'node'],
      ['junit', 'junit'],
    ] as const) {
      it(`is read with its ${reporter} reporter`, async () => {
        const [fails, inner, ...others] = await node(
          files,
          '--test',
          `--test-reporter=${reporter}`,
          'a.test.mjs',
        );
        assert.match(
          fails ?? '',
          new RegExp(`^error ${tool} a\\.test\\.mjs:5:10 .*fails: .*strictly equal: ?1 !== 2`),
        );
        assert.match(inner ?? '', new RegExp(`^error ${tool} a\\.test\\.mjs:10:11 .*inner: .*boom`));
        assert.deepEqual(others, []);
      });
    }
  });

  describe('mocha', () => {
    const files = {
      'test/m.js': `const assert = require('node:assert');
describe('calc', () => {
  it('adds', () => assert.equal(1, 1));
  it('subs', () => {
    assert.equal(1, 2);
  });
});
`,
    };
    for (const [reporter, expected] of [
      ['spec', 'error node test/m.js:5:12 calc subs: AssertionError [ERR_ASSERTION]: 1 == 2'],
      ['tap', 'error tap test/m.js:5:12 calc subs: 1 == 2'],
      ['xunit', 'error junit test/m.js:5:12 calc > subs: 1 == 2'],
    ] as const) {
      it(`is read with its ${reporter} reporter`, async () => {
        const mocha = join(modules, 'mocha/bin/mocha.js');
        assert.deepEqual(await node(files, mocha, '--reporter', reporter, 'test/m.js'), [expected]);
      });
    }
  });

  it('an uncaught error and a syntax error of node are read', async () => {
    const thrown = { 'src/c.js': "function f() {\n  throw new TypeError('nope');\n}\nf();\n" };
    assert.deepEqual(await node(thrown, 'src/c.js'), ['error node src/c.js:2:9 TypeError: nope']);
    assert.deepEqual(await node({ 'src/s.mjs': 'const a = 1;\nconst x = );\n' }, 'src/s.mjs'), [
      "error node src/s.mjs:2 SyntaxError: Unexpected token ')'",
    ]);
  });

  if (has('gcc')) {
    it('gcc is read, and the linker it calls', async () => {
      const broken = { 'src/b.c': 'int main(void) {\n  int unused;\n  return y;\n}\n' };
      const [error, warning] = await run(broken, 'gcc', '-Wall', '-c', 'src/b.c');
      assert.match(error ?? '', /^error cc src\/b\.c:3:10 .*y/);
      assert.match(warning ?? '', /^warning cc src\/b\.c:2:7 \[-Wunused-variable\] unused variable/);
      const [missing] = await run({ 'c.c': '#include "nope.h"\n' }, 'gcc', '-c', 'c.c');
      assert.match(missing ?? '', /^error cc c\.c:1:10 .*nope\.h/);
      const unlinked = { 'd.c': 'void h(void);\nint main(void) {\n  h();\n}\n' };
      assert.match((await run(unlinked, 'gcc', '-g', 'd.c'))[0] ?? '', /^error cc /);
    });
  }

  if (has('rustc')) {
    it('rustc is read in both its formats', async () => {
      const files = { 'src/m.rs': 'fn main() {\n    let x: i32 = "a";\n}\n' };
      assert.deepEqual(await run(files, 'rustc', '--emit=metadata', 'src/m.rs'), [
        'error rustc src/m.rs:2:18 [E0308] mismatched types',
      ]);
      const short = await run(files, 'rustc', '--emit=metadata', '--error-format=short', 'src/m.rs');
      assert.match(short[0] ?? '', /^error rustc src\/m\.rs:2:18 \[E0308\] mismatched types/);
    });
  }

  if (has('python3')) {
    it('py_compile, a traceback and unittest are read', async () => {
      assert.deepEqual(await run({ 'c.py': 'x = 1\ndef f(:\n' }, 'python3', '-m', 'py_compile', 'c.py'), [
        'error python c.py:2 SyntaxError: invalid syntax',
      ]);
      const nested = {
        'd.py':
          'import json\ndef f(): return json.loads("{")\ntry: f()\nexcept ValueError as e: raise KeyError(1) from e\n',
      };
      assert.deepEqual(await run(nested, 'python3', 'd.py'), ['error python d.py:4 KeyError: 1']);
      const unit = {
        'u.py':
          'import unittest\nclass T(unittest.TestCase):\n  def test_x(self):\n    self.assertEqual(1, 2)\nunittest.main()\n',
      };
      const read = await run(unit, 'python3', 'u.py');
      assert.equal(read.length, 1);
      assert.match(read[0] ?? '', /^error python u\.py:4 test_x \(__main__.*\): AssertionError: 1 != 2$/);
    });
  }

  if (has('python3', '-m', 'pytest', '--version')) {
    const files = {
      'tests/test_a.py': `def helper(x):
    raise ValueError("bad value %s" % x)
def test_add():
    assert 1 + 1 == 3
def test_raise():
    print("tests/test_a.py:99: ValueError")
    helper(3)
`,
    };
    for (const [style, first] of [
      ['long', 'error pytest tests/test_a.py:4 test_add: assert (1 + 1) == 3'],
      ['line', 'error pytest tests/test_a.py:4 test_add: assert (1 + 1) == 3'],
      ['native', 'error pytest tests/test_a.py:4 test_add: AssertionError: assert (1 + 1) == 3'],
    ] as const) {
      it(`pytest is read with --tb=${style}`, async () => {
        const args = ['-m', 'pytest', '-p', 'no:cacheprovider', `--tb=${style}`, 'tests'];
        const second = 'error pytest tests/test_a.py:2 test_raise: ValueError: bad value 3';
        assert.deepEqual(await run(files, 'python3', ...args), [first, second]);
      });
    }
  }
});
