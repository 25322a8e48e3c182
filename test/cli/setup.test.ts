import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'jsonc-parser';
import { setup as inEngine } from '../../src/engine/setup/index.ts';
import { cli, cliFile } from '../support/cli.ts';
import { makeProject } from '../support/project.ts';

const server = join(dirname(cliFile), 'server.js');

describe('discern setup', () => {
  let home: string;
  let env: Record<string, string>;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'discern setup ')));
    env = { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '', OPENCODE_CONFIG: '' };
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const setup = (args: string[], cwd = home) => cli(['setup', ...args], { cwd, env });
  const well = async (args: string[], cwd?: string) => {
    const { code, stdout, stderr } = await setup(args, cwd);
    assert.deepEqual([code, stderr], [0, ''], stdout);
    return stdout;
  };
  const put = (name: string, text: string) => {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const read = (file: string) => readFileSync(file, 'utf8');

  const inJson: [string, string, string][] = [
    ['copilot', '.copilot/mcp-config.json', 'mcpServers'],
    ['gemini', '.gemini/settings.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['zed', '.config/zed/settings.json', 'context_servers'],
    ['opencode', '.config/opencode/opencode.jsonc', 'mcp'],
  ];
  for (const [client, name, table] of inJson) {
    it(`writes ${client}’s file, keeps the rest of it and its mode, and takes it back`, async () => {
      const text = '// mine\r\n{\r\n  "theme": "x", // c\r\n}\r\n';
      const file = put(name, text);
      chmodSync(file, 0o640);
      assert.match(await well([client]), /^Wrote /);
      const { discern } = parse(read(file))[table];
      const words = [discern.command, discern.args].flat(2);
      assert.ok(words.includes(process.execPath) && words.includes(server), JSON.stringify(discern));
      assert.equal(statSync(file).mode & 0o777, 0o640);
      assert.match(await well([client]), /set up already/);
      await well([client, '--remove']);
      assert.equal(read(file), text);
      const beside = readdirSync(dirname(file)).filter((one) => one !== 'hooks.json');
      assert.deepEqual(beside.length, 1, 'nothing is left beside it');
    });
  }

  it('gives Cursor hooks beside its servers, and leaves a version that others need', async () => {
    const file = join(home, '.cursor/hooks.json');
    await well(['cursor']);
    const { version, hooks } = parse(read(file));
    assert.equal(version, 1);
    assert.deepEqual(Object.keys(hooks).sort(), ['preToolUse', 'sessionStart', 'stop']);
    assert.match(hooks.preToolUse[0].command, /hook\.js.* cursor preToolUse$/);
    assert.match(await well(['cursor']), /set up already[\s\S]*set up already/);
    await well(['cursor', '--remove']);
    assert.equal(read(file), '{\n  "version": 1\n}\n');
    const inProcess = (action: 'write' | 'remove') =>
      inEngine({ client: 'cursor', action, env, cwd: home, dist: '/dist', node: '/node' });
    for (const text of [
      '{\n  "version": 1,\n  "hooks": {\n    "stop": [ { "command": "mine.sh" } ]\n  }\n}',
      '{ "hooks": {}, "version": 2 }\r\n',
      '\uFEFF{"hooks": {"stop": []} /* c */, "version": 1,}',
    ]) {
      put('.cursor/hooks.json', text);
      await inProcess('write');
      const now = parse(read(file).replace('\uFEFF', ''), [], { allowTrailingComma: true });
      assert.deepEqual(
        [now.hooks.stop.length, now.hooks.sessionStart.length],
        [text.includes('mine.sh') ? 2 : 1, 1],
      );
      await inProcess('remove');
      assert.equal(read(file), text);
    }
  });

  it('gives opencode a plugin in a file of ours, and touches none of somebody’s', async () => {
    const file = join(home, '.config/opencode/plugins/discern.js');
    await well(['opencode']);
    const { Discern } = await import(pathToFileURL(file).href);
    assert.deepEqual(Object.keys(await Discern({ directory: home })).sort(), [
      'chat.message',
      'event',
      'experimental.chat.system.transform',
      'tool.execute.before',
    ]);
    await well(['opencode', '--remove']);
    assert.ok(!existsSync(dirname(file)));
    put('.config/opencode/plugins/discern.js', 'export const Mine = 1;\n');
    const { code, stderr } = await setup(['opencode']);
    assert.deepEqual([code, /is not our plugin/.test(stderr)], [1, true], stderr);
    await well(['opencode', '--remove']);
    assert.equal(read(file), 'export const Mine = 1;\n');
  });

  it('leaves a file alone that its owner made read-only, is a folder, or is no text', async () => {
    const file = join(home, '.cursor/mcp.json');
    const inProcess = (action: 'write' | 'remove') =>
      inEngine({ client: 'cursor', action, env, cwd: home, dist: '/dist', node: '/node' });
    const refused = async (why: RegExp) => {
      for (const action of ['write', 'remove'] as const) {
        await assert.rejects(inProcess(action), (error: { slug?: string; message: string }) => {
          assert.equal(error.slug, 'unavailable');
          assert.match(error.message, why);
          return true;
        });
      }
      assert.deepEqual(readdirSync(dirname(file)), ['mcp.json']);
    };
    mkdirSync(file, { recursive: true });
    await refused(/is not a regular file: nothing was written/);
    rmSync(file, { recursive: true });
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    await refused(/nothing was written/);
    rmSync(file);
    await inProcess('write');
    const text = read(file).replace('/node', '/older');
    rmSync(join(home, '.cursor/hooks.json'));
    writeFileSync(file, text);
    chmodSync(file, 0o444);
    await refused(/is read-only: nothing was written/);
    assert.deepEqual([read(file), statSync(file).mode & 0o777], [text, 0o444]);
  });

  it('writes none of a client’s files where it refuses one of them', async () => {
    const fine = '{"a": 1}';
    for (const [client, one, other, text] of [
      ['cursor', '.cursor/mcp.json', '.cursor/hooks.json', '{'],
      ['codex', '.codex/config.toml', '.codex/hooks.json', '[]'],
      ['copilot', '.copilot/mcp-config.json', '.copilot/hooks/discern.json', '{"hooks": 1}'],
      ['opencode', '.config/opencode/opencode.json', '.config/opencode/plugins/discern.js', 'theirs'],
      ['claude', '.claude/skills/discern/hooks/hooks.json', '.claude/settings.json', '{"hooks": 1}'],
    ] as const) {
      const sound = client === 'claude' ? undefined : put(one, client === 'codex' ? 'a = 1\n' : fine);
      const before = sound && read(sound);
      const broken = put(other, text);
      const run = inEngine({ client, action: 'write', env, cwd: home, dist: '/dist', node: '/node' });
      await assert.rejects(run, (error: { slug?: string }) =>
        /unavailable|path_exists/.test(error.slug ?? ''),
      );
      assert.equal(read(broken), text);
      if (sound) assert.equal(read(sound), before, client);
      else assert.ok(!existsSync(join(home, one)));
    }
  });

  it('makes a file where there is none, for the user alone, and goes through a link', async () => {
    await well(['cursor']);
    const file = join(home, '.cursor/mcp.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const real = put('dotfiles/settings.json', '{}');
    mkdirSync(join(home, '.gemini'));
    symlinkSync(real, join(home, '.gemini/settings.json'));
    await well(['gemini']);
    assert.ok(parse(read(real)).mcpServers.discern);
  });

  it('leaves no file of servers in which nothing is left: clients take one without its table for broken', async () => {
    for (const [client, name] of [
      ['copilot', '.copilot/mcp-config.json'],
      ['cursor', '.cursor/mcp.json'],
    ] as const) {
      const run = (action: 'write' | 'remove') =>
        inEngine({ client, action, env, cwd: home, dist: '/dist', node: '/node' });
      const file = join(home, name);
      await run('write');
      await run('remove');
      assert.ok(!existsSync(file), name);
      for (const text of ['{"mcpServers": {}}', '{ "inputs": [] }\n', '{ /* mine */ }']) {
        put(name, text);
        await run('write');
        await run('remove');
        assert.equal(read(file), text);
      }
      // A link is somebody's, whatever it leads to.
      rmSync(file);
      const real = put('dotfiles/mcp.json', '{}');
      symlinkSync(real, file);
      await run('write');
      await run('remove');
      assert.equal(read(file), '{}');
    }
  });

  it('refuses what does not parse, and writes nothing', async () => {
    for (const [client, name, text] of [
      ['cursor', '.cursor/mcp.json', '{"mcpServers": '],
      ['codex', '.codex/config.toml', 'a = '],
      ['codex', '.codex/config.toml', '[mcp_servers.discern]\ncommand = "mine"\n'],
    ] as const) {
      const file = put(name, text);
      const { code, stdout, stderr } = await setup([client]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /: nothing was written\./);
      assert.equal(read(file), text);
    }
  });

  it('writes nothing when it only prints, and nothing for what it does not know', async () => {
    for (const client of ['claude', 'codex', 'gemini', 'opencode', 'zed']) {
      assert.ok((await well([client, '--print-config'])).includes(server));
    }
    for (const args of [['emacs'], [], ['codex', '--remove', '--print-config'], ['codex', '--json']]) {
      assert.equal((await setup(args)).code, 2, args.join(' '));
    }
    assert.deepEqual(readdirSync(home), []);
  });

  it('writes Codex’s table and says what its sandbox needs; opencode may leave for the worktrees', async () => {
    const project = await makeProject();
    try {
      const text = '# mine\nmodel = "x"';
      const file = put('.codex/config.toml', text);
      const said = await well(['codex'], project.root);
      assert.ok(said.includes(`writable_roots = ["${project.root}.worktrees"]`), said);
      assert.ok(read(file).startsWith(text) && read(file).includes('[mcp_servers.discern]'));
      await well(['codex', '--remove']);
      assert.equal(read(file), text);
      await well(['opencode'], project.root);
      const { permission } = parse(read(join(home, '.config/opencode/opencode.json')));
      assert.deepEqual(permission, { external_directory: { [`${project.root}.worktrees/**`]: 'allow' } });
      const strict = put('.config/opencode/opencode.json', '{"permission": {"external_directory": "ask"}}');
      assert.match(
        await well(['opencode'], project.root),
        /no object at "permission\.external_directory": .* allow .*\.worktrees/,
      );
      assert.deepEqual(parse(read(strict)).permission, { external_directory: 'ask' });
      await well(['vscode'], project.root);
      const { servers } = parse(read(join(project.root, '.vscode/mcp.json')));
      assert.equal(servers.discern.args[0], server);
    } finally {
      await project.remove();
    }
  });

  it('writes a project’s .mcp.json from anywhere in it, keeps every other byte, and refuses outside of a project', async () => {
    const project = await makeProject();
    try {
      const file = join(project.root, '.mcp.json');
      const text = '{\n\t// theirs\n\t"mcpServers": {\n\t\t"other": { "command": "x" }, // last\n\t},\n}\n';
      writeFileSync(file, text);
      const said = await well(['mcp-json'], join(project.root, 'src'));
      assert.ok(said.includes(file) && /keep it out of commits/.test(said), said);
      const { other, discern } = parse(read(file)).mcpServers;
      assert.deepEqual(other, { command: 'x' });
      assert.deepEqual(discern, { command: process.execPath, args: [join(dirname(server), 'attach.js')] });
      const before = read(file);
      assert.match(await well(['mcp-json'], project.root), /set up already/);
      assert.equal(read(file), before);
      await well(['mcp-json', '--remove'], project.root);
      assert.equal(read(file), text);
      rmSync(file);
      await well(['mcp-json'], project.root);
      await well(['mcp-json', '--remove'], project.root);
      assert.ok(!existsSync(file));
      const { code, stdout } = await setup(['mcp-json'], project.home);
      assert.deepEqual([code, stdout], [1, '']);
      assert.ok(!existsSync(join(project.home, '.mcp.json')));
    } finally {
      await project.remove();
    }
  });

  it('makes Claude Code’s plugin, which is ours alone, and takes back only that', async () => {
    await well(['claude']);
    const folder = join(home, '.claude/skills/discern');
    const hooks = parse(read(join(folder, 'hooks/hooks.json'))).hooks;
    assert.ok(hooks.PreToolUse[0].hooks[0].command.includes(join(dirname(server), 'hook.js')));
    assert.deepEqual(parse(read(join(folder, '.mcp.json'))).mcpServers.discern.args, [server]);
    assert.match(await well(['claude']), /set up already/);
    const mine = put('.claude/skills/discern/notes.md', 'mine');
    await well(['claude', '--remove']);
    assert.deepEqual(readdirSync(folder), ['notes.md']);
    const { code, stderr } = await setup(['claude']);
    assert.equal(code, 1);
    assert.match(stderr, /is not our plugin/);
    assert.deepEqual(readdirSync(folder), ['notes.md']);
    rmSync(mine);
    rmSync(folder, { recursive: true });
    await well(['claude']);
    await well(['claude', '--remove']);
    assert.ok(!existsSync(folder));
  });
});
