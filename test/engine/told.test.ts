import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { callersDir, tell, told } from '../../src/engine/callers/told.ts';
import { stateDir } from '../../src/engine/user/state-dir.ts';

describe('What a hook told of a session', () => {
  let home: string;
  let env: NodeJS.ProcessEnv;
  const dir = () => callersDir(env) ?? assert.fail('no folder');
  const only = () => join(dir(), readdirSync(dir())[0] ?? assert.fail('no file'));
  const record = { client: 'claude', session: 's-1', cwd: '/here', event: 'PreToolUse' };

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'discern told '));
    env = { HOME: home };
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('is read back as it was told, a declared move too', async () => {
    await tell(env, { ...record, at: 5 });
    assert.deepEqual(await told(env, 'claude', 's-1'), { version: 1, ...record, at: 5 });
    await tell(env, { ...record, cwd: '/there', at: 6, declared: true });
    assert.deepEqual(await told(env, 'claude', 's-1'), {
      version: 1,
      ...record,
      cwd: '/there',
      at: 6,
      declared: true,
    });
    assert.equal(await told(env, 'copilot', 's-1'), undefined);
    assert.equal(await told(env, 'claude', 's-2'), undefined);
  });

  it('is private, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await tell(env, record);
    } finally {
      process.umask(before);
    }
    assert.equal(statSync(dir()).mode & 0o777, 0o700);
    assert.equal(statSync(only()).mode & 0o777, 0o600);
  });

  it('closes a folder that others could enter', async () => {
    mkdirSync(dir(), { recursive: true });
    chmodSync(dir(), 0o755);
    await tell(env, record);
    assert.equal(statSync(dir()).mode & 0o777, 0o700);
  });

  it('keeps any session id inside its folder, and apart from every other', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.oneof(
            fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
            fc.constantFrom('../../x', '/etc/passwd', 'a\\..\\b', 'CON', '.', '%2e%2e/', 'x'.repeat(4000)),
          ),
          { minLength: 2, maxLength: 4 },
        ),
        async (all) => {
          const sessions = all.filter((one) => !one.includes('\0') && Buffer.from(one).toString() === one);
          for (const session of sessions) await tell(env, { ...record, session, cwd: `/of ${session}` });
          for (const session of sessions)
            assert.equal((await told(env, 'claude', session))?.cwd, `/of ${session}`);
          assert.deepEqual(readdirSync(home), sessions.length > 0 || existsSync(dir()) ? ['.local'] : []);
          for (const name of readdirSync(dir())) assert.match(name, /^claude-[0-9a-f]{32}\.json$/);
        },
      ),
      { numRuns: 50 },
    ));

  it('refuses what could not be read back', async () => {
    await assert.rejects(tell(env, { ...record, cwd: 'relative' }), /Not a record/);
    await assert.rejects(tell(env, { ...record, cwd: '/a\0b' }), /Not a record/);
    await assert.rejects(tell(env, { ...record, session: '' }), /Not a record/);
    await assert.rejects(tell(env, { ...record, client: '../x' }), /Not a record/);
    await assert.rejects(tell(env, { ...record, cwd: `/${'x'.repeat(20_000)}` }), /Not a record/);
    assert.deepEqual(readdirSync(home), []);
  });

  const spoilt: [string, (path: string) => void][] = [
    ['half-written', (path) => truncateSync(path, 20)],
    ['empty', (path) => truncateSync(path, 0)],
    ['huge', (path) => truncateSync(path, 500 * 1024 * 1024)],
    ['not JSON', (path) => writeFileSync(path, 'cwd=/here')],
    ['null', (path) => writeFileSync(path, 'null')],
    ['a list', (path) => writeFileSync(path, '[]')],
    ['of another version', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('1', '2'))],
    ['of another session', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('s-1', 's-2'))],
    [
      'of another client',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('claude', 'codex')),
    ],
    [
      'of a relative directory',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('/here', 'h')),
    ],
    [
      'a directory',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'a pipe nobody writes to',
      (path) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'a link',
      (path) => {
        writeFileSync(join(home, 'elsewhere.json'), readFileSync(path));
        rmSync(path);
        symlinkSync(join(home, 'elsewhere.json'), path);
      },
    ],
  ];
  for (const [what, spoil] of spoilt) {
    it(`is nothing when its file is ${what}`, async () => {
      await tell(env, record);
      assert.ok(await told(env, 'claude', 's-1'));
      spoil(only());
      assert.equal(await told(env, 'claude', 's-1'), undefined);
    });
  }

  it('is read whatever a newer version adds to it', async () => {
    await tell(env, { ...record, at: 7 });
    const more = { ...JSON.parse(readFileSync(only(), 'utf8')), mood: 'good', declared: 'no' };
    writeFileSync(only(), JSON.stringify(more));
    assert.deepEqual(await told(env, 'claude', 's-1'), { version: 1, ...record, at: 7 });
  });

  it('is whole at every moment while many write it', async () => {
    await tell(env, record);
    const cwds = Array.from({ length: 40 }, (_, index) => `/w${index}/${'x'.repeat(index * 100)}`);
    const writing = Promise.all(cwds.map((cwd) => tell(env, { ...record, cwd })));
    const seen = await Promise.all(cwds.map(() => told(env, 'claude', 's-1')));
    await writing;
    for (const one of seen) assert.ok(one);
    assert.ok(cwds.includes((await told(env, 'claude', 's-1'))?.cwd ?? ''));
    assert.deepEqual(readdirSync(dir()), [basename(only())]);
  });

  it('goes when it is 30 days old, and nothing else does', async () => {
    await tell(env, record);
    const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    const stale = join(dir(), `copilot-${'0'.repeat(32)}.json`);
    const torn = `${stale}.1z.tmp`;
    const foreign = join(dir(), 'notes.json');
    for (const path of [stale, torn, foreign, only()]) writeFileSync(path, '{}', { flag: 'a' });
    for (const path of [stale, torn, foreign]) utimesSync(path, old, old);
    await tell(env, { ...record, session: 'another' });
    assert.deepEqual([stale, torn, foreign].map(existsSync), [false, false, true]);
    assert.equal(readdirSync(dir()).length, 3);
  });

  it('is nothing, and no error, where there is no folder to read', async () => {
    assert.equal(await told(env, 'claude', 's-1'), undefined);
    writeFileSync(join(home, '.local'), 'a file');
    assert.equal(await told(env, 'claude', 's-1'), undefined);
    await assert.rejects(tell(env, record));
  });
});

describe('The state folder', () => {
  const of = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform) => stateDir(env, platform);

  it('is where the variable says, else where the platform keeps state', () => {
    assert.equal(of({ DISCERN_STATE_DIR: '/mine', HOME: '/h' }, 'linux'), '/mine');
    assert.equal(of({ DISCERN_STATE_DIR: 'mine', HOME: '/h' }, 'linux'), '/h/.local/state/discern');
    assert.equal(of({ XDG_STATE_HOME: '/x', HOME: '/h' }, 'linux'), '/x/discern');
    assert.equal(of({ XDG_STATE_HOME: 'x', HOME: '/h' }, 'linux'), '/h/.local/state/discern');
    assert.equal(of({ HOME: '/h' }, 'darwin'), '/h/Library/Application Support/discern');
    assert.equal(of({ LOCALAPPDATA: '/l', HOME: '/h' }, 'win32'), '/l/discern');
    assert.equal(of({ USERPROFILE: '/u' }, 'win32'), '/u/AppData/Local/discern');
  });

  it('is found without HOME', () => {
    assert.match(of({}, 'linux') ?? '', /\/\.local\/state\/discern$/);
  });
});
