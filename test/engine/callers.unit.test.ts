import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { scalar } from '../../src/engine/callers/copilot.ts';
import { type CallerFacts, whereCallerStands } from '../../src/engine/callers/index.ts';
import { sessionId } from '../../src/engine/callers/standing.ts';
import { tell } from '../../src/engine/callers/told.ts';
import { sessionsIn } from '../support/callers.ts';

describe('Evidence of where a caller stands', () => {
  let home: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-callers-')));
  });

  afterEach(() => rm(home, { recursive: true, force: true }));

  const claudeFacts = (rest: Partial<CallerFacts> = {}): CallerFacts => ({
    env: sessionsIn(home).claude.env('/app'),
    parent: process.pid,
    launch: '/app',
    ...rest,
  });

  const found = async (facts: CallerFacts = claudeFacts()) => (await whereCallerStands('claude', facts))?.cwd;

  it('is unknown without a record, and with one that is half-written, huge, of another form or no file', async () => {
    const { claude, session } = sessionsIn(home);
    assert.equal(await found(), undefined);
    const transcript = join(home, '.claude/projects/-app', `${session}.jsonl`);
    await claude.transcript([], { folder: '-app', tail: '{"type":"user","cwd":"/w' });
    assert.equal(await found(), undefined);
    await claude.transcript([{ type: 'user', cwd: 7 }, { type: 'user', cwd: 'relative' }, [], 'x', null], {
      folder: '-app',
    });
    assert.equal(await found(), undefined);
    await rm(transcript);
    await mkdir(transcript);
    assert.equal(await found(), undefined);
  });

  it('is the last whole line of a transcript of 500 MB, of which only the end is read', async () => {
    const { claude, session } = sessionsIn(home);
    await claude.transcript([]);
    const file = join(home, '.claude/projects/-somewhere-app', `${session}.jsonl`);
    await truncate(file, 500 * 1024 * 1024);
    const handle = await open(file, 'a');
    await handle.write(`\n${JSON.stringify({ cwd: '/work', sessionId: session })}\n{"cwd":"/half`);
    await handle.close();
    const before = process.memoryUsage().rss;
    assert.equal(await found(), '/work');
    assert.ok(process.memoryUsage().rss - before < 50 * 1024 * 1024);
  });

  it('of opencode is what its plugin told for this very process and directory, and nothing older', async () => {
    const env = { DISCERN_STATE_DIR: join(home, 'state'), OPENCODE_PID: '4711' };
    const where = async (rest: Partial<CallerFacts> = {}) =>
      (await whereCallerStands('opencode', { env, parent: 4711, launch: '/app', ...rest }))?.cwd;
    const word = { client: 'opencode', session: '4711 /app', cwd: '/work', event: 'PreToolUse' };
    await tell(env, word);
    assert.equal(await where(), '/work');
    for (const other of [
      { parent: 4712 },
      { launch: '/other' },
      { launch: undefined },
      { env: { ...env, OPENCODE_PID: '' } },
    ]) {
      assert.equal(await where(other), undefined);
    }
    await tell(env, { ...word, at: Date.now() - 3_600_000 });
    assert.equal(await where(), undefined, 'an earlier process of that number told it');
  });

  it('is nothing of a session of another id, of an id with path characters, nor of one id in two places', async () => {
    const { claude, session } = sessionsIn(home);
    await claude.transcript([{ cwd: '/other', sessionId: 'another' }]);
    assert.equal(await found(), undefined);
    await claude.transcript([{ cwd: '/one', sessionId: session }]);
    assert.equal(await found(), '/one');
    await claude.transcript([{ cwd: '/two', sessionId: session }], { folder: '-second' });
    assert.equal(await found(), undefined);
    for (const id of ['../x', 'a/b', 'a\\b', '..', '', '.hidden', 'x'.repeat(200), 'a\0b']) {
      assert.equal(sessionId(id), undefined, id);
      assert.equal(
        await found({ ...claudeFacts(), env: { HOME: home, CLAUDE_CODE_SESSION_ID: id } }),
        undefined,
      );
    }
  });

  it('is nothing of a process that took another one’s number, or that tells of another number', async () => {
    const { claude } = sessionsIn(home);
    await claude.process('/work');
    assert.equal(await found(), '/work');
    if (process.platform === 'linux') {
      await claude.process('/work', { procStart: '1' });
      assert.equal(await found(), undefined);
    }
    await claude.process('/work', { pid: 1 });
    assert.equal(await found(), undefined);
    await claude.process('/work', { procStart: undefined, sessionId: 'another' });
    assert.equal(await found(), undefined);
  });

  it('is found in a home that is a link, and in a configuration directory of its own', async () => {
    const { claude, session } = sessionsIn(join(home, 'real'));
    await claude.transcript([{ cwd: '/work', sessionId: session }]);
    await symlink(join(home, 'real'), join(home, 'linked'));
    const env = { HOME: join(home, 'linked'), CLAUDE_CODE_SESSION_ID: session };
    assert.equal(await found(claudeFacts({ env })), '/work');
    const moved = { ...env, HOME: home, CLAUDE_CONFIG_DIR: join(home, 'real/.claude') };
    assert.equal(await found(claudeFacts({ env: moved })), '/work');
  });

  it('goes by what a hook told before a record, and by a declared move before either', async () => {
    const { claude, session } = sessionsIn(home);
    const env = { ...claude.env('/app'), DISCERN_STATE_DIR: join(home, 'state') };
    await claude.transcript([{ cwd: '/by-record', sessionId: session }]);
    await tell(env, { client: 'claude', session, cwd: '/by-hook', event: 'PreToolUse' });
    assert.equal(await found(claudeFacts({ env })), '/by-hook');
    await claude.process('/declared');
    assert.equal(await found(claudeFacts({ env })), '/declared');
    await claude.process('/app');
    assert.equal(await found(claudeFacts({ env })), '/by-hook', 'where it was launched is no declared move');
  });

  it('is of the client that calls, not of one whose environment it inherited', async () => {
    const { claude, copilot, session } = sessionsIn(home);
    await claude.transcript([{ cwd: '/claude', sessionId: session }]);
    await copilot.state('cwd: /copilot\n');
    const facts = claudeFacts({ env: { ...claude.env('/app'), ...copilot.env } });
    assert.equal((await whereCallerStands('copilot', facts))?.cwd, '/copilot');
    assert.equal((await whereCallerStands('claude', facts))?.cwd, '/claude');
    assert.equal(await whereCallerStands('cursor', facts), undefined);
    assert.equal(await whereCallerStands('unknown', facts), undefined, 'two sessions, and no name');
  });

  it('is the last command’s directory in Codex, of an earlier turn too while the session itself stayed', async () => {
    const { codex } = sessionsIn(home);
    const turn = (cwd: string) => ({ type: 'turn_context', payload: { cwd } });
    const ran = (cwd: string) => ({
      type: 'event_msg',
      payload: { type: 'item_completed', item: { type: 'CommandExecution', cwd: `file://${cwd}` } },
    });
    const facts: CallerFacts = { env: codex.env, parent: 1, launch: '/app', meta: codex.meta };
    const by = async (...lines: unknown[]) => {
      await codex.rollout(lines);
      return (await whereCallerStands('codex', facts))?.cwd;
    };
    assert.equal(await by(turn('/app'), ran('/work'), ran('/app')), '/app');
    assert.equal(await by(turn('/app'), ran('/work'), turn('/app')), '/work', 'a person asks once more');
    assert.equal(await by(turn('/app'), ran('/work'), turn('/app'), ran('/other')), '/other');
    assert.equal(await by(turn('/old'), ran('/work'), turn('/app')), '/app', 'resumed elsewhere');
    assert.equal(await by(turn('/old'), ran('/work'), turn('/new')), '/new', 'a declared move');
    assert.equal(await by(ran('/work'), turn('/app')), '/app', 'whose turn that was cannot be read');
  });

  it('is one root of the client, never several, and never an error', async () => {
    const roots = async (list: () => Promise<string[]>) =>
      (await whereCallerStands('gemini', { env: {}, parent: 1, askRoots: list }))?.cwd;
    assert.equal(await roots(async () => ['/work']), '/work');
    assert.equal(await roots(async () => ['/work', '/app']), undefined);
    assert.equal(await roots(async () => []), undefined);
    assert.equal(await roots(() => Promise.reject(new Error('no'))), undefined);
  });

  it('is the directory in a YAML of any form, or nothing: never a part of it', () => {
    assert.equal(scalar('cwd: /a b/c\n', 'cwd'), '/a b/c');
    assert.equal(scalar("cwd: '/it''s'\n", 'cwd'), "/it's");
    assert.equal(scalar('cwd: "/q\\"x"\n', 'cwd'), '/q"x');
    assert.equal(scalar('cwd: /a # said\n', 'cwd'), '/a');
    for (const other of [
      'cwd: |\n  /a\n',
      'cwd: [/a]\n',
      'cwd: /a\ncwd: /b\n',
      'x:\n  cwd: /a\n',
      'cwd:\n',
    ]) {
      assert.equal(scalar(other, 'cwd'), undefined, other);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        assert.equal(scalar(`a: 1\ncwd: ${JSON.stringify(path)}\nb: 2\n`, 'cwd'), path);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void scalar(text, 'cwd')));
  });

  it('never throws on a record of any bytes', async () => {
    const { session } = sessionsIn(home);
    const files = [
      join(home, '.claude/projects/-app', `${session}.jsonl`),
      join(home, '.claude/sessions', `${process.pid}.json`),
    ];
    for (const file of files) await mkdir(dirname(file), { recursive: true });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(1), async (bytes, which) => {
        await writeFile(files[which] as string, bytes);
        await found();
      }),
      { numRuns: 60 },
    );
  });
});
