import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoctorData, Finding } from '../../src/contract/data.ts';
import { isAtLeast } from '../../src/engine/doctor/machine.ts';
import { programOf } from '../../src/engine/doctor/tools.ts';
import { everything, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function doctor(directory: string): Promise<DoctorData> {
  const answer = await verb('doctor', directory);
  assert.equal(answer.ok, true, answer.message);
  const data = answer.data as DoctorData;
  for (const { level, remedy, what } of data.findings) {
    assert.ok(level === 'ok' || remedy, `a remedy for: ${what}`);
  }
  assert.equal(data.healthy, !data.findings.some(({ level }) => level === 'error'));
  return data;
}

/** `level check: what`, for those that are not ok. */
const bad = ({ findings }: DoctorData) =>
  findings
    .filter(({ level }) => level !== 'ok')
    .map(({ check, level, what }) => `${level} ${check}: ${what}`);

const one = ({ findings }: DoctorData, check: string, says: RegExp): Finding => {
  const found = findings.find((finding) => finding.check === check && says.test(finding.what));
  assert.ok(found, `${check} ${says} in ${JSON.stringify(findings, null, 1)}`);
  return found;
};

describe('doctor', () => {
  let home: string;
  const before = { HOME: process.env.HOME, CODEX_HOME: process.env.CODEX_HOME, PATH: process.env.PATH };

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'discern-home-'));
    process.env.HOME = home;
    delete process.env.CODEX_HOME;
    assert.equal(homedir(), home);
  });
  afterEach(async () => {
    Object.assign(process.env, before);
    if (before.CODEX_HOME === undefined) delete process.env.CODEX_HOME;
    await rm(home, { recursive: true });
    await removeAll();
  });

  it('finds nothing wrong with a sound project, and changes nothing', async () => {
    const project = await make();
    await started(project.root);
    const earlier = await everything(project);
    const atHome = await readdir(home, { recursive: true });
    const data = await doctor(join(project.root, 'src'));
    assert.deepEqual(bad(data), []);
    assert.equal(data.root, project.root);
    assert.equal(data.branch, 'main');
    for (const check of [
      'git',
      'node',
      'shell',
      'config',
      'trunk',
      'landing checkout',
      'repository',
      'state',
      'tools',
      'hosts',
    ]) {
      assert.ok(
        data.findings.some((finding) => finding.check === check),
        check,
      );
    }
    assert.deepEqual(await everything(project), earlier);
    assert.deepEqual(await readdir(home, { recursive: true }), atHome);
  });

  it('answers where nothing resolves: no directory, no repository, no project, no commit, no git', async () => {
    const project = await make({ config: null });
    one(await doctor(join(project.home, 'gone')), 'directory', /does not exist/);
    one(await doctor(join(project.root, 'src', 'a.txt')), 'directory', /is a file/);
    const outside = await doctor(project.home);
    one(outside, 'repository', /no usable git work tree/);
    assert.equal(one(outside, 'config', /No discern\.toml/).level, 'error');
    const plain = await doctor(project.root);
    assert.equal(one(plain, 'config', /No discern\.toml/).remedy, 'discern init proposes one.');
    assert.equal(plain.commit, await git(project.root, 'rev-parse', 'HEAD'));
    const fresh = join(project.home, 'fresh');
    await git(project.home, 'init', '--quiet', fresh);
    await writeFile(join(fresh, 'discern.toml'), '[jobs]\ntest = "true"\n');
    one(await doctor(fresh), 'config', /no commit yet/);
    process.env.PATH = home;
    const without = await doctor(project.root);
    assert.equal(one(without, 'git', /could not be started/).level, 'error');
    assert.equal(without.healthy, false);
  });

  it('names a config that cannot be read, that says nothing, and that is not on the trunk', async () => {
    const project = await make({ config: null });
    await project.write({ 'discern.toml': '[jobs]\ntset = "x"\n' });
    assert.match(one(await doctor(project.root), 'config', /tset/).remedy ?? '', /Correct/);
    await project.write({ 'discern.toml': '[project]\nname = "x"\n' });
    const data = await doctor(project.root);
    assert.equal(one(data, 'config', /declares no job/).level, 'warn');
    assert.match(one(data, 'trunk', /main has no discern\.toml/).remedy ?? '', /git add discern\.toml/);
  });

  it('names a trunk that is not there, a parked one, and a landing checkout that is not ready', async () => {
    const project = await make();
    await project.write({ 'src/a.txt': 'edited\n' });
    assert.match(
      one(await doctor(project.root), 'landing checkout', /src\/a\.txt/).remedy ?? '',
      /Commit or stash/,
    );
    await git(project.root, 'stash', '--quiet');
    await git(project.root, 'switch', '--quiet', '-c', 'other');
    const parked = one(await doctor(project.root), 'landing checkout', /No checkout has main/);
    assert.equal(parked.remedy, `git -C ${project.root} switch main`);
    await project.write({ 'discern.toml': '[repository]\ntrunk = "trnk"\n' });
    assert.equal(one(await doctor(project.root), 'trunk', /"trnk"/).level, 'error');
  });

  it('names the kinds of repository that surprise', async () => {
    const project = await make({ files: { '.gitmodules': '' } });
    const clone = join(project.home, 'shallow');
    await git(project.home, 'clone', '--quiet', '--depth', '1', `file://${project.root}`, clone);
    const shallow = await doctor(clone);
    one(shallow, 'repository', /shallow/);
    one(shallow, 'repository', /submodules, and a new worktree has them empty/);
    await git(clone, 'sparse-checkout', 'set', 'src');
    one(await doctor(clone), 'repository', /sparse/);
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    const checkout = join(project.home, 'main');
    await git(hub, 'worktree', 'add', '--quiet', checkout, 'main');
    const bare = await doctor(checkout);
    assert.equal(one(bare, 'repository', /bare hub/).level, 'ok');
    assert.equal(bare.healthy, true);
  });

  it('names what interrupted runs left, each with what mends it', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    await project.commit({ 'own.txt': '' }, path);
    await rm(path, { recursive: true });
    const gone = one(
      await doctor(project.root),
      'state',
      /is registered as a worktree, and its directory is gone/,
    );
    assert.equal(gone.remedy, 'discern prune --no-dry-run');
    await git(project.root, 'worktree', 'prune');
    assert.match(
      one(await doctor(project.root), 'branches', new RegExp(`${branch} has no worktree, and commits`))
        .remedy ?? '',
      /git log main\.\./,
    );
    await git(project.root, 'branch', '--quiet', '-D', branch ?? '');
    const lock = join(project.root, '.git', 'index.lock');
    await writeFile(lock, '');
    await utimes(lock, 0, 0);
    assert.equal(one(await doctor(project.root), 'locks', /index\.lock is old/).remedy, `rm '${lock}'`);
    await rm(lock);
    assert.deepEqual(bad(await doctor(project.root)), []);

    const second = await started(project.root);
    await project.commit({ 'second.txt': '' }, second.path);
    await killedAt('accept.moved', 'accept', second.path);
    one(await doctor(project.root), 'state', /A landing of agent\/\S+ on main was interrupted/);
    await verb('status', project.root);
    assert.deepEqual(bad(await doctor(project.root)), []);
  });

  it('weighs the worktrees, what files share by hard links once, and says what is free', async () => {
    const project = await make();
    assert.ok(!(await doctor(project.root)).findings.some(({ check }) => check === 'disk'));
    const [light, heavy] = [
      await started(project.root, { name: 'light' }),
      await started(project.root, { name: 'heavy' }),
    ];
    await writeFile(join(heavy.path, 'big'), Buffer.alloc(3 * 1024 * 1024, 1));
    await link(join(heavy.path, 'big'), join(light.path, 'big'));
    const { what } = one(await doctor(project.root), 'disk', /^2 worktrees take \d+ MiB /);
    const [, total = '', first = '', second = ''] =
      /take (\d+) MiB \((\S+) \d+ MiB, (\S+) \d+ MiB\); .* free\.$/.exec(what) ?? [];
    assert.ok(Number(total) >= 3 && Number(total) < 6, what);
    assert.deepEqual([first, second].map((name) => name.replace(/-\w+$/, '')).sort(), ['heavy', 'light']);
  });

  it('names programs of jobs that are not on PATH', async () => {
    const project = await make({
      config:
        '[jobs]\ntest = "CI=1 no-such-program --x | cat"\nlint = "./own && test -f x"\n[worktree.setup]\nsteps = ["git --version"]\n',
    });
    const data = await doctor(project.root);
    assert.equal(one(data, 'tools', /job test runs no-such-program/).level, 'warn');
    assert.equal(data.findings.filter(({ check }) => check === 'tools').length, 1);
  });

  it('reads hosts’ settings: registered, not, broken, and without the root VS Code needs', async () => {
    const project = await make();
    const server = { command: 'discern', args: ['mcp'] };
    const settings = (file: string, content: unknown, dir = project.root) =>
      project.write({ [file]: typeof content === 'string' ? content : JSON.stringify(content) }, dir);
    await settings('.mcp.json', { mcpServers: { discern: server } });
    await settings(
      '.vscode/mcp.json',
      '{ // ours\n "servers": { "gate": { "command": "discern", "args": ["mcp"], "env": {"T": "s3cret"} } }, }',
    );
    await settings('.cursor/mcp.json', '{ "mcpServers": ');
    await settings(
      '.codex/config.toml',
      '[mcp_servers.discern]\ncommand = "node"\nargs = ["/x/server.js", "s3cret"]\n',
      home,
    );
    await settings(
      '.gemini/settings.json',
      { mcpServers: { other: { command: 'x', args: ['s3cret'] } } },
      home,
    );
    const earlier = await everything(project);
    const data = await doctor(project.root);
    assert.equal(one(data, 'host: Claude Code', /as "discern" in .*\.mcp\.json/).level, 'ok');
    assert.match(one(data, 'host: VS Code', /without --root/).remedy ?? '', /\$\{workspaceFolder\}/);
    assert.equal(one(data, 'host: Cursor', /not a valid JSON object/).level, 'warn');
    assert.equal(one(data, 'host: Codex', /config\.toml/).level, 'ok');
    assert.match(
      one(data, 'host: Gemini CLI', /does not name this server/).remedy ?? '',
      /Add to .*settings\.json: "mcpServers"/,
    );
    assert.doesNotMatch(JSON.stringify(data), /s3cret/);
    assert.deepEqual(await everything(project), earlier);
  });

  it('finds a server that Claude Code names for this project alone, and Codex’s home where it was moved', async () => {
    const project = await make();
    const command = join(home, 'discern');
    await writeFile(command, '');
    const server = { command, args: ['mcp'] };
    await writeFile(
      join(home, '.claude.json'),
      JSON.stringify({ projects: { [project.root]: { mcpServers: { x: server } } } }),
    );
    process.env.CODEX_HOME = join(home, 'codex');
    await mkdir(process.env.CODEX_HOME);
    await writeFile(join(home, 'codex', 'config.toml'), '[mcp_servers.discern\n');
    const data = await doctor(project.root);
    assert.equal(one(data, 'host: Claude Code', /as "x"/).level, 'ok');
    one(data, 'host: Codex', /cannot be read/);
  });

  it('says that a host’s settings name a program that is gone, or ours of another version', async () => {
    const project = await make();
    const named = async (command: string, args: string[], key = 'discern') => {
      await writeFile(
        join(project.root, '.mcp.json'),
        JSON.stringify({ mcpServers: { [key]: { command, args } } }),
      );
      return one(await doctor(project.root), 'host: Claude Code', /as "/);
    };
    const dist = join(home, 'copy', 'dist');
    const attach = join(dist, 'attach.js');
    const secret = join(home, 'no-such-s3cret');
    const gone = await named(process.execPath, [attach, secret]);
    assert.deepEqual([gone.level, gone.remedy], ['warn', 'Run "discern setup mcp-json" again.']);
    assert.ok(gone.what.endsWith(`it starts ${attach}, which is not there.`), gone.what);
    assert.doesNotMatch(JSON.stringify(gone), /s3cret/, 'another argument is nobody’s to show');

    await mkdir(dist, { recursive: true });
    await writeFile(attach, '');
    assert.equal((await named(process.execPath, [attach, secret])).level, 'ok', 'of no version it can tell');
    await writeFile(join(home, 'copy', 'package.json'), JSON.stringify({ version: '0.0.1' }));
    const other = await named(process.execPath, [attach]);
    assert.equal(other.level, 'warn');
    assert.match(other.what, /attach\.js, which is of version 0\.0\.1; this is \d+\.\d+\.\d+\.$/);

    const lost = await named(join(home, 'node-that-left'), ['mcp'], 'discern-vscode');
    assert.match(lost.what, /node-that-left, which is not there\.$/);
    assert.match(lost.remedy ?? '', /^Correct .*\.mcp\.json, or remove it there\.$/);
  });

  it('says where Codex’s sandbox may not write worktrees, and both ways to let it', async () => {
    const project = await make({ files: { '.gitignore': 'node_modules/\n' } });
    const file = join(home, '.codex', 'config.toml');
    await mkdir(join(home, '.codex'));
    const closed = 'exclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
    const found = async (text: string) => {
      await writeFile(file, `${text}\n[mcp_servers.discern]\ncommand = "discern"\nargs = ["mcp"]\n`);
      const data = await doctor(project.root);
      return data.findings
        .filter(({ check }) => check === 'sandbox')
        .map(({ level, remedy }) => ({ level, remedy }));
    };
    const dir = `${project.root}.worktrees`;
    const [closedOff, ...none] = await found(
      `[sandbox_workspace_write]\nwritable_roots = ["/data"]\n${closed}`,
    );
    assert.deepEqual([closedOff?.level, none], ['warn', []]);
    assert.ok(closedOff?.remedy?.includes(`writable_roots = ["/data","${dir}"]`), closedOff?.remedy);
    assert.match(
      closedOff?.remedy ?? '',
      /root = "\.worktrees" in discern\.toml and the line \/\.worktrees\/ in \.gitignore/,
    );

    const ok = [{ level: 'ok', remedy: undefined }];
    assert.deepEqual(await found(`[sandbox_workspace_write]\nwritable_roots = ["${dir}"]\n${closed}`), ok);
    assert.deepEqual(await found('sandbox_mode = "danger-full-access"'), []);
    assert.deepEqual(await found('sandbox_mode = "read-only"'), []);

    await project.commit({ '.gitignore': '/worktrees/\n' });
    const [offered] = await found(`[sandbox_workspace_write]\n${closed}`);
    assert.match(offered?.remedy ?? '', /root = "worktrees" in discern\.toml, which git ignores already/);
    await project.commit({ 'discern.toml': '[worktree]\nroot = "worktrees"\n' });
    assert.deepEqual(await found(`[sandbox_workspace_write]\n${closed}`), ok);
  });
});

describe('A version', () => {
  it('is compared by its numbers', () => {
    assert.equal(isAtLeast('git version 2.39.5 (Apple Git-154)', [2, 38]), true);
    assert.equal(isAtLeast('git version 2.9.1', [2, 38]), false);
    assert.equal(isAtLeast('git version 3.0.0', [2, 38]), true);
    assert.equal(isAtLeast('nonsense', [2, 38]), false);
  });
});

describe('The program of a command', () => {
  for (const [command, program] of [
    ['npm test', 'npm'],
    ['CI=1 X="a b" pnpm run x', undefined],
    ['CI=1 pnpm run x', 'pnpm'],
    ['! grep -rn x', 'grep'],
    ['./gradlew check', undefined],
    ['test -f x', undefined],
    ['(cd x && make)', undefined],
    ['go', 'go'],
    ['$TOOL x', undefined],
  ] as const) {
    it(`"${command}" is ${program ?? 'not told'}`, () => assert.equal(programOf(command), program));
  }
});
