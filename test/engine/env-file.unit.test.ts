import assert from 'node:assert/strict';
import { link, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { type EnvChange, inheritEnv, recordEnv } from '../../src/engine/worktree/env-file.ts';

type Files = Record<string, string>;

interface Case {
  title: string;
  home: Files;
  worktree?: Files;
  names?: string[];
  files?: string[];
  /** What the worktree's files hold afterwards. */
  expected: Files;
  hints?: RegExp[];
}

const inherited: Case[] = [
  {
    title: 'a new file gets what is asked for and nothing else',
    home: { '.env': 'A=1\nSECRET=s\nB=2\n' },
    expected: { '.env': 'A=1\nB=2\n' },
  },
  {
    title: 'a file without a last line end gets one before the new line',
    home: { '.env': 'A=1' },
    worktree: { '.env': '# ours' },
    names: ['A'],
    expected: { '.env': '# ours\nA=1\n' },
  },
  {
    title: 'a file with CRLF keeps it',
    home: { '.env': 'A=1\n' },
    worktree: { '.env': 'X=0\r\nB=\r\nC=3' },
    names: ['A'],
    expected: { '.env': 'X=0\r\nB=\r\nC=3\r\nA=1\r\n' },
  },
  {
    title: 'what comes from a file with CRLF brings none along',
    home: { '.env': 'A=1\r\nB="2"\r\n' },
    expected: { '.env': 'A=1\nB="2"\n' },
  },
  {
    title: 'quotes, spaces and comments are copied as they stand',
    home: { '.env': `A = 'one two' # why\nB="say \\"hi\\""\n` },
    expected: { '.env': `A = 'one two' # why\nB="say \\"hi\\""\n` },
  },
  {
    title: 'a value over several lines is one value',
    home: { '.env': 'A="one\nB=inside\nthree"\nB=2\n' },
    expected: { '.env': 'A="one\nB=inside\nthree"\nB=2\n' },
  },
  {
    title: 'a quote that is never closed costs only its own line',
    home: { '.env': 'X="unclosed\nA=1\nY=\'too\nB="2"\n' },
    expected: { '.env': 'A=1\nB="2"\n' },
  },
  {
    title: 'export is kept',
    home: { '.env': '  export A=1\nB=2\n' },
    worktree: { '.env': 'export B=\n' },
    expected: { '.env': 'export B=2\n  export A=1\n' },
  },
  {
    title: 'the last listed file wins, and in it the last line',
    home: { '.env': 'A=1\nB=1\n', '.env.local': 'A=2\nA=3\n' },
    expected: { '.env': 'A=3\nB=1\n' },
  },
  {
    title: 'a value of the worktree’s own stays',
    home: { '.env': 'A=1\nB=2\n' },
    worktree: { '.env': 'A=mine\n' },
    expected: { '.env': 'A=mine\nB=2\n' },
  },
  {
    title: 'an empty one is filled where it stands',
    home: { '.env': 'A=1\nB=2\n' },
    worktree: { '.env': 'A= # fill in\nB=""\n# end\n' },
    expected: { '.env': 'A=1\nB=2\n# end\n' },
  },
  {
    title: 'the default of the example file is replaced',
    home: { '.env': 'A=1\nB=2\n' },
    worktree: { '.env': 'A=change-me\nB=other\n', '.env.example': 'A="change-me"\nB=change-me\n' },
    expected: { '.env': 'A=1\nB=other\n' },
  },
  {
    title: 'a value that is in the last file is filled there',
    home: { '.env': 'A=1\n' },
    worktree: { '.env': 'X=1\n', '.env.local': 'A=\n' },
    names: ['A'],
    expected: { '.env': 'X=1\n', '.env.local': 'A=1\n' },
  },
  {
    title: 'a new name goes into the first file that is there',
    home: { '.env': 'A=1\n' },
    worktree: { '.env.local': 'X=1\n' },
    names: ['A'],
    expected: { '.env.local': 'X=1\nA=1\n' },
  },
  {
    title: 'a byte order mark hides no name and is not copied',
    home: { '.env': '\xef\xbb\xbfA=1\n' },
    worktree: { '.env': '\xef\xbb\xbfB=\n' },
    names: ['A', 'B'],
    expected: { '.env': '\xef\xbb\xbfB=\nA=1\n' },
    hints: [/^B of \[worktree\]\.inherit_env is in none/],
  },
  {
    title: 'bytes of another encoding stay as they are',
    home: { '.env': 'A=\xe9\n' },
    names: ['A'],
    expected: { '.env': 'A=\xe9\n' },
  },
  {
    title: 'a name that no file has, or that is empty, is told',
    home: { '.env': 'A=\n#B=2\n' },
    expected: {},
    hints: [/^A of .* is empty in \.env of/, /^B of .* is in none of \.env, \.env\.local of/],
  },
  {
    title: 'without any env file there is nothing to copy',
    home: {},
    names: ['A'],
    expected: {},
    hints: [/^A of /],
  },
  {
    title: 'other files, below directories too, may be listed',
    home: { 'config/app.conf': 'A=1\nB=2\n' },
    files: ['./config/app.conf'],
    expected: { './config/app.conf': 'A=1\nB=2\n' },
  },
];

const recorded: (Omit<Case, 'home' | 'names'> & { variables?: Files })[] = [
  { title: 'no file is made for it', expected: {} },
  {
    title: 'it is added to the first file that is there',
    worktree: { '.env.local': 'A=1' },
    expected: { '.env.local': 'A=1\nPORT=17290\n' },
  },
  {
    title: 'it replaces what stands there, in the last file that says it',
    worktree: { '.env': 'PORT=1\n', '.env.local': 'export PORT="3000" # dev\r\nB=2\r\n' },
    expected: { '.env': 'PORT=1\n', '.env.local': 'export PORT=17290\r\nB=2\r\n' },
  },
];

describe('The env files of a worktree', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'discern-env-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  let made = 0;
  async function checkout(files: Files): Promise<string> {
    const root = join(dir, String(made++));
    await mkdir(root);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text, 'latin1');
    }
    return root;
  }

  async function holds(root: string, expected: Files, names: readonly string[]): Promise<void> {
    for (const name of new Set([...Object.keys(expected), ...names])) {
      const text = await readFile(join(root, name), 'latin1').catch(() => undefined);
      assert.equal(text, expected[name], name);
    }
  }

  function told({ hints }: EnvChange, patterns: RegExp[] = []): void {
    assert.equal(hints.length, patterns.length, hints.join('\n'));
    for (const [index, pattern] of patterns.entries()) assert.match(hints[index] ?? '', pattern);
  }

  for (const { title, home, worktree = {}, names = ['A', 'B'], expected, ...rest } of inherited) {
    it(`inherit: ${title}, also when done again`, async () => {
      const files = rest.files ?? ['.env', '.env.local'];
      const [from, to] = [await checkout(home), await checkout(worktree)];
      const inherit = () => inheritEnv({ root: from, files }, { root: to, files }, names);
      told(await inherit(), rest.hints);
      await holds(to, expected, files);
      const again = await inherit();
      assert.deepEqual(again.written, []);
      await holds(to, expected, files);
    });
  }

  for (const { title, worktree = {}, expected } of recorded) {
    it(`record: ${title}, also when done again`, async () => {
      const files = ['.env', '.env.local'];
      const root = await checkout(worktree);
      for (const time of ['first', 'again']) {
        const change = await recordEnv({ root, files }, { PORT: '17290' });
        if (time === 'again') assert.deepEqual(change.written, []);
        await holds(root, expected, files);
      }
    });
  }

  it('a new one can be read by its owner alone, and one that is there keeps its mode', async () => {
    const [home, fresh, there] = [
      await checkout({ '.env': 'A=1\n' }),
      await checkout({}),
      await checkout({ '.env': '' }),
    ];
    for (const root of [fresh, there]) {
      await inheritEnv({ root: home, files: ['.env'] }, { root, files: ['.env'] }, ['A']);
    }
    assert.equal((await stat(join(fresh, '.env'))).mode & 0o777, 0o600);
    assert.notEqual((await stat(join(there, '.env'))).mode & 0o777, 0o600);
  });

  it('are not written through a hard link to another checkout’s', async () => {
    const [home, worktree] = [await checkout({ '.env': 'A=1\n' }), await checkout({})];
    await link(join(home, '.env'), join(worktree, '.env'));
    const change = await recordEnv({ root: worktree, files: ['.env'] }, { B: '2' });
    assert.deepEqual(change, { written: ['.env'], hints: [] });
    assert.equal(await readFile(join(home, '.env'), 'utf8'), 'A=1\n');
    assert.equal(await readFile(join(worktree, '.env'), 'utf8'), 'A=1\nB=2\n');
  });

  it('lose no definition to quotes that are not closed, wherever they stand', async () => {
    const junk = fc.constantFrom(
      'J="open',
      "J='open",
      'J=`open',
      'J="a\\',
      '# it’s "so',
      "J=don't",
      'J="a"b"',
    );
    const value = fc.constantFrom('1', '"two"', "'three'", '`four`', '"five" # "why"', '"a \\" b"');
    const line = fc.oneof(junk, value);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const names: string[] = [];
        const text = lines.map((one, n) => {
          if (one.startsWith('J') || one.startsWith('#')) return one;
          names.push(`N${n}`);
          return `N${n}=${one}`;
        });
        const [home, worktree] = [await checkout({ '.env': `${text.join('\n')}\n` }), await checkout({})];
        await inheritEnv({ root: home, files: ['.env'] }, { root: worktree, files: ['.env'] }, names);
        const got = await readFile(join(worktree, '.env'), 'latin1').catch(() => '');
        const wanted = text.filter((one) => /^N/.test(one)).map((one) => `${one}\n`);
        assert.equal(got, wanted.join(''));
      }),
      { numRuns: 60 },
    );
  });

  it('are never written through a symbolic link', async () => {
    const home = await checkout({ '.env': 'A=1\n' });
    const root = await checkout({});
    await symlink(join(home, '.env'), join(root, '.env'));
    const change = await recordEnv({ root, files: ['.env'] }, { PORT: '1' });
    told(change, [/^PORT was not written: .*\.env is a symbolic link/]);
    assert.equal(await readFile(join(home, '.env'), 'utf8'), 'A=1\n');
    assert.ok((await lstat(join(root, '.env'))).isSymbolicLink());
  });

  it('that cannot be read are refused, since they might hold what counts', async () => {
    const home = await checkout({ '.env/inner': '' });
    await assert.rejects(
      inheritEnv({ root: home, files: ['.env'] }, { root: await checkout({}), files: ['.env'] }, ['A']),
      { slug: 'config_error', message: /\.env of \[worktree\]\.env_files cannot be read/ },
    );
  });
});
