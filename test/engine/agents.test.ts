import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { versionIn } from '../../src/engine/agents/installed.ts';
import { succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';

describe('The agent clients that are installed', () => {
  const before = { ...process.env };
  let home: string;
  let bin: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-agents-')));
    bin = join(home, 'bin');
    await mkdir(bin);
    Object.assign(process.env, {
      PATH: bin,
      HOME: home,
      USERPROFILE: home,
      DISCERN_STATE_DIR: join(home, 'state'),
    });
    for (const name of Object.keys(process.env)) {
      if (/^(CLAUDE|CODEX|COPILOT|GEMINI|OPENCODE|XDG)_/.test(name)) delete process.env[name];
    }
  });
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await rm(home, { recursive: true, force: true });
  });

  /** A program that counts how often it was asked. */
  const install = async (name: string, lines: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$@" >> '${join(home, `${name}.asked`)}'\n${lines}\n`);
    await chmod(join(bin, name), 0o755);
  };
  const askedOf = async (name: string) =>
    (await readFile(join(home, `${name}.asked`), 'utf8')).split('\n').length - 1;
  const listed = async () => succeeded(await verb('agents', '/'));

  it('are listed with version, models and what can be done; one that says nothing is listed with why', async () => {
    await install('claude', 'echo "2.1.197 (Claude Code)"');
    await install('codex', 'echo "WARNING: 10.0.0.1 is no version" >&2; echo "codex-cli 0.169.0-alpha.2"');
    await install('gemini', 'exit 3');
    await install('cursor-agent', 'echo hello');
    await mkdir(join(home, '.claude'));
    await writeFile(join(home, '.claude', 'settings.json'), '{"model": "opus\\u001b[2J", // mine\n}');
    await mkdir(join(home, '.codex'));
    await writeFile(join(home, '.codex', 'config.toml'), 'model = "one"\n[profiles.deep]\nmodel = "two"\n');
    const { agents, missing } = await listed();
    const at = (name: string) => join(bin, name);
    const all = { launch: true, sessions: true, message: true };
    assert.deepEqual(agents, [
      { client: 'claude', path: at('claude'), version: '2.1.197', models: ['opus\\u{1b}[2J'], ...all },
      { client: 'codex', path: at('codex'), version: '0.169.0-alpha.2', models: ['one', 'two'], ...all },
      { client: 'gemini', path: at('gemini'), problem: 'it ended with 3', ...all },
      {
        client: 'cursor-agent',
        path: at('cursor-agent'),
        problem: 'what it answers has no version in it',
        ...{ launch: false, sessions: false, message: false },
      },
    ]);
    assert.deepEqual(missing, ['copilot', 'opencode']);
  });

  it('are asked again only where the program has changed, or did not answer', async () => {
    await install('claude', 'echo 1.0.0');
    await install('gemini', 'exit 1');
    await listed();
    await listed();
    assert.deepEqual([await askedOf('claude'), await askedOf('gemini')], [1, 2]);
    await install('claude', 'echo 2.0.0');
    await utimes(join(bin, 'claude'), 1_000_000, 1_000_000);
    assert.equal((await listed()).agents[0]?.version, '2.0.0');
    await writeFile(join(home, 'state', 'agents.json'), '{"version":1,"programs":{"x":');
    assert.equal((await listed()).agents[0]?.version, '2.0.0');
    assert.equal(await askedOf('claude'), 3);
  });

  it('are none of a repository’s own, nor what is no program', async () => {
    const own = join(home, 'app', 'node_modules', '.bin');
    await mkdir(own, { recursive: true });
    await mkdir(join(home, 'app', '.git'));
    process.env.PATH = `${own}:${bin}`;
    await install('claude', 'echo 1.0.0');
    await symlink(join(bin, 'claude'), join(own, 'codex'));
    await mkdir(join(bin, 'copilot'));
    await writeFile(join(bin, 'opencode'), 'no program');
    const { agents } = await listed();
    assert.deepEqual(
      agents.map(({ client }) => client),
      ['claude'],
    );
  });

  it('have their version read out of whatever they say', () => {
    const number = fc.nat({ max: 99_999 });
    fc.assert(
      fc.property(
        fc.tuple(number, number, number),
        fc.constantFrom('', 'v', 'tool ', 'tool/', '(', '\n\t'),
        (parts, lead) => {
          const version = parts.join('.');
          assert.equal(versionIn(`${lead}${version}`), version);
          assert.equal(versionIn(`${lead}${version}.\n9.9.9`), version);
        },
      ),
    );
    assert.equal(versionIn('no version, not even in 2026 or v7'), undefined);
  });
});
