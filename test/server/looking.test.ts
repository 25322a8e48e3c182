import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { sealedIn } from '../../src/engine/note/envelope.ts';
import { statementOf } from '../../src/engine/note/statement.ts';
import { httpServers } from '../support/http.ts';
import { git, gitSubmodule, makeProject, type Project, plainConfig } from '../support/project.ts';
import { type Connection, connections, type ToolAnswer } from '../support/server.ts';

const exec = promisify(execFile);
const { serve, connect, stopAll } = httpServers();
const { open, closeAll } = connections();

/** A repository that names a program, which leaves a marker when it runs. */
interface Plant {
  project: Project;
  /** Where one looks. */
  path: string;
  /** What a person would run there that starts the program: it shows that the plant bites. */
  bites: string[];
  /** What `status` answers there: nothing but ok, a hint, or the refusal that says why it cannot know. */
  answers?: { hint: RegExp } | { error: string; message: RegExp };
  /** PATH of the process that looks, when the program is found by it. */
  path_?: string;
}

const markers = (project: Project) => join(project.home, 'markers');
const ran = async (project: Project) => readdir(markers(project)).catch(() => []);

/** A program that leaves a marker and passes its input on. */
async function program(project: Project, name = 'planted', file = join(project.home, name)): Promise<string> {
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `#!/bin/sh\nmkdir -p '${markers(project)}'\n: >'${markers(project)}/${name}'\ncat\n`);
  await chmod(file, 0o755);
  return file;
}

/** Makes a file look changed to git while its content is what it was, so that it has to be read and converted. */
async function touch(checkout: string, file = 'src/a.txt'): Promise<void> {
  const later = new Date(Date.now() + 5_000);
  await utimes(join(checkout, file), later, later);
}

const attributes = { '.gitattributes': '*.txt filter=evil diff=evil\n' };
const filtered = /filters \(.*evil.*\) did not run/;
const made: Project[] = [];

async function project(files: Record<string, string> = attributes, config = plainConfig): Promise<Project> {
  const one = await makeProject({ files, config });
  made.push(one);
  return one;
}

/** A plant whose program is the filter `evil`, put into effect by `plant`. */
async function filter(plant: (one: Project, evil: string) => Promise<string | undefined>): Promise<Plant> {
  const one = await project();
  const path = (await plant(one, await program(one))) ?? one.root;
  await writeFile(join(path, 'src/a.txt'), 'b\n');
  return { project: one, path, bites: ['status'], answers: { hint: filtered } };
}

/** A partial clone that lacks a tree `status` needs, and whose remote is got by `settings`. */
async function promisor(settings: (evil: string) => Record<string, string>): Promise<Plant> {
  const one = await project({});
  // One that does not wait: git would, for what it has to say.
  const evil = await program(one);
  await writeFile(evil, (await readFile(evil, 'utf8')).replace('\ncat\n', '\nexit 1\n'));
  const tree = await git(one.root, 'rev-parse', 'HEAD:src');
  await writeFile(join(one.root, 'src/a.txt'), 'staged\n');
  await git(one.root, 'add', '--all');
  await rm(join(one.root, '.git/objects', tree.slice(0, 2), tree.slice(2)), { force: true });
  const all = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    ...settings(evil),
  };
  for (const [key, value] of Object.entries(all)) await git(one.root, 'config', key, value);
  return {
    project: one,
    path: one.root,
    bites: ['status'],
    answers: { error: 'unavailable', message: /partial clone and lacks objects/ },
  };
}

const plants: Record<string, () => Promise<Plant>> = {
  'a clean filter': () =>
    filter(async ({ root }, evil) => void (await git(root, 'config', 'filter.evil.clean', evil))),
  'a filter process that is required': () =>
    filter(async ({ root }, evil) => {
      await git(root, 'config', 'filter.evil.process', evil);
      await git(root, 'config', 'filter.evil.required', 'true');
      return undefined;
    }),
  'a filter whose name has every character': () =>
    filter(async ({ root }, evil) => {
      await writeFile(join(root, '.gitattributes'), '*.txt filter=evil.a=b"c\n');
      await appendFile(join(root, '.git/config'), `[filter "evil.a=b\\"c"]\n\tclean = ${evil}\n`);
      return undefined;
    }),
  'a filter whose name is no UTF-8': async () => {
    const latin = Buffer.from('\xe9vil', 'latin1');
    const one = await filter(async ({ root }, evil) => {
      await writeFile(join(root, '.gitattributes'), Buffer.concat([Buffer.from('*.txt filter='), latin]));
      const section = [Buffer.from('[filter "'), latin, Buffer.from(`"]\n\tclean = ${evil}\n`)];
      await appendFile(join(root, '.git/config'), Buffer.concat(section));
      return undefined;
    });
    return {
      ...one,
      answers: { error: 'unavailable', message: /"filter\.\\351vil\.clean", which is not UTF-8/ },
    };
  },
  'a filter of a file that is included': () =>
    filter(async ({ root, home }, evil) => {
      await writeFile(join(home, 'one'), '[include]\n\tpath = two\n');
      await writeFile(join(home, 'two'), `[filter "evil"]\n\tclean = ${evil}\n`);
      await git(root, 'config', 'include.path', '../../one');
      return undefined;
    }),
  'a filter on one branch only': () =>
    filter(async ({ root, home }, evil) => {
      await writeFile(join(home, 'one'), `[filter "evil"]\n\tclean = ${evil}\n`);
      await git(root, 'config', 'includeIf.onbranch:main.path', join(home, 'one'));
      return undefined;
    }),
  'a filter of one worktree’s own config': () =>
    filter(async ({ root, home }, evil) => {
      const tree = join(home, 'tree');
      await git(root, 'worktree', 'add', '--quiet', tree);
      await git(root, 'config', 'extensions.worktreeConfig', 'true');
      await git(tree, 'config', '--worktree', 'filter.evil.clean', evil);
      return tree;
    }),
  'a file system monitor': async () => {
    const one = await project();
    await git(one.root, 'config', 'core.fsmonitor', await program(one));
    return { project: one, path: one.root, bites: ['status'] };
  },
  'a hook for when the index was written': async () => {
    const one = await project();
    await git(one.root, 'config', 'core.hooksPath', join(one.home, 'hooks'));
    await program(one, 'post-index-change', join(one.home, 'hooks/post-index-change'));
    await touch(one.root);
    return { project: one, path: one.root, bites: ['update-index', '--refresh', '--force-write-index'] };
  },
  'the other end of a promisor remote': () =>
    promisor((evil) => ({ 'remote.origin.url': '/nowhere', 'remote.origin.uploadpack': evil })),
  'an ssh command for a promisor remote': () =>
    promisor((evil) => ({ 'remote.origin.url': 'ssh://nowhere.invalid/x', 'core.sshCommand': evil })),
  'a proxy for a promisor remote': () =>
    promisor((evil) => ({ 'remote.origin.url': 'git://nowhere.invalid/x', 'core.gitProxy': evil })),
  'a promisor remote that is a command': () =>
    promisor((evil) => ({ 'remote.origin.url': `ext::${evil}`, 'protocol.ext.allow': 'always' })),
  'a submodule’s own config': async () => {
    const [inner, one] = [await project(), await project({})];
    await gitSubmodule(one.root, 'add', inner.root, 'sub');
    await git(one.root, 'commit', '--quiet', '-m', 'a submodule');
    const sub = join(one.root, 'sub');
    await git(sub, 'config', 'filter.evil.clean', await program(one));
    await writeFile(join(sub, 'src/a.txt'), 'b\n');
    return {
      project: one,
      path: one.root,
      bites: ['status'],
      answers: { hint: /no submodule was looked into/ },
    };
  },
  'a repository that lies in a clone as plain files': async () => {
    const [inner, one] = [await project(), await project({})];
    const embedded = join(one.root, 'docs');
    await cp(join(inner.root, '.git'), embedded, { recursive: true });
    await git(embedded, '--git-dir=.', 'config', 'core.worktree', inner.root);
    await git(embedded, '--git-dir=.', 'config', 'filter.evil.clean', await program(one));
    await writeFile(join(inner.root, 'src/a.txt'), 'b\n');
    await writeFile(join(embedded, 'discern.toml'), plainConfig);
    return {
      project: one,
      path: embedded,
      bites: ['status'],
      answers: { error: 'not_a_git_repository', message: /safe\.bareRepository/ },
    };
  },
  'a program that checks the signature of a note, and whose key is vouched for': async () => {
    const one = await project();
    const evil = await program(one, 'ssh-keygen', join(one.root, 'bin/ssh-keygen'));
    const settings = { 'gpg.format': 'ssh', 'gpg.ssh.program': evil, 'gpg.ssh.allowedSignersFile': evil };
    for (const [key, value] of Object.entries(settings)) await git(one.root, 'config', key, value);
    const signature = '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n';
    const raw = (await git(one.root, 'cat-file', 'commit', 'HEAD')).replace(
      '\n\n',
      `\ngpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}\n\n`,
    );
    const file = join(one.home, 'object');
    await writeFile(file, raw);
    const commit = await git(one.root, 'hash-object', '-t', 'commit', '-w', file);
    await git(one.root, 'reset', '--quiet', '--soft', commit);
    const jobs = ['lint', 'test'].map((name) => ({ name, stage: 'test', outcome: 'passed', duration_ms: 1 }));
    const statement = statementOf(
      {
        version: 1,
        commit,
        tree: await git(one.root, 'rev-parse', 'HEAD^{tree}'),
        project: '',
        config_digest: createHash('sha256').update(plainConfig).digest('hex'),
        trunk: 'main',
        trunk_commit: commit,
        gated_at: '2026-01-01T00:00:00.000Z',
        jobs,
      },
      'app',
    );
    const signatures = [{ keyid: 'ssh', sig: Buffer.from(signature).toString('base64') }];
    await writeFile(file, sealedIn(Buffer.from(JSON.stringify(statement)), signatures));
    await git(one.root, 'notes', '--ref=discern', 'add', '-F', file, 'HEAD');
    return { project: one, path: one.root, bites: ['verify-commit', 'HEAD'], path_: join(one.root, 'bin') };
  },
  'an external diff and a textconv': async () => {
    const one = await project();
    const evil = await program(one);
    await git(one.root, 'config', 'diff.external', evil);
    await git(one.root, 'config', 'diff.evil.textconv', evil);
    await writeFile(join(one.root, 'src/a.txt'), 'b\n');
    return { project: one, path: one.root, bites: ['diff'] };
  },
  'a git in a directory that PATH names relatively': async () => {
    const one = await project();
    await program(one, 'git', join(one.root, 'bin/git'));
    await program(one, 'git', join(one.root, 'git'));
    return { project: one, path: one.root, bites: ['--version'], path_: ['', 'bin', '.'].join(delimiter) };
  },
  'a git in a directory of the repository that is on PATH': async () => {
    const one = await project();
    const dir = join(one.root, 'node_modules/.bin');
    await program(one, 'git', join(dir, 'git'));
    return { project: one, path: one.root, bites: ['--version'], path_: dir };
  },
};

describe('Looking at a repository that names', () => {
  const planted = new Map<string, Plant>();
  let servers: Record<string, Omit<Connection, 'pid'>>;

  before(async function () {
    this.timeout(120_000);
    for (const [name, make] of Object.entries(plants)) planted.set(name, await make());
    const inPath = [...planted.values()].flatMap(({ path_ }) => path_ ?? []).join(delimiter);
    const env = { PATH: `${inPath}${delimiter}${process.env.PATH}` };
    const roots = [...planted.values()].flatMap(({ path }) => ['--root', path]);
    const [root = ''] = [...planted.values()].map(({ path }) => path);
    const http = await serve(['--read-only', ...roots], { env });
    servers = {
      'stdio, --read-only': await open({ args: ['--read-only', '--root', root], env }),
      'stdio, --untrusted': await open({ args: ['--untrusted', '--root', root], env }),
      'HTTP, --read-only': await connect(http.url),
    };
  });
  after(async () => {
    await closeAll();
    await stopAll();
    await Promise.all(made.splice(0).map((one) => one.remove()));
  });

  for (const name of Object.keys(plants)) {
    it(`${name} runs nothing, and says what it could not know`, async () => {
      const { project: one, path, bites, answers, path_ } = planted.get(name) as Plant;
      for (const [server, connection] of Object.entries(servers)) {
        const said = new Map<string, ToolAnswer>();
        for (const tool of ['status', 'scopes', 'doctor', 'verify', 'explain']) {
          said.set(tool, await connection.call(`discern_${tool}`, { path }));
        }
        if (server.includes('untrusted')) await connection.call('discern_prune', { path, dry_run: true });
        if (server.includes('HTTP')) await connection.call('discern_projects');
        assert.deepEqual(await ran(one), [], server);
        const { envelope } = said.get('status') as ToolAnswer;
        if (answers && 'error' in answers) {
          assert.equal(envelope.error, answers.error, envelope.message);
          assert.match(envelope.message ?? '', answers.message);
          continue;
        }
        assert.equal(envelope.ok, true, envelope.message);
        assert.equal(envelope.data.root, path);
        if (answers) assert.match((envelope.hints ?? []).join('\n'), answers.hint);
      }
      const env = { ...process.env, ...(path_ && { PATH: `${path_}${delimiter}${process.env.PATH}` }) };
      await exec('/bin/sh', ['-c', 'git "$@" </dev/null', 'sh', ...bites], { cwd: path, env }).catch(
        () => undefined,
      );
      assert.notDeepEqual(await ran(one), [], 'a plain git does run it');
    });
  }

  it('programs still sees what is changed', async () => {
    const { path } = planted.get('a clean filter') as Plant;
    const { envelope } = await (servers['stdio, --read-only'] as Connection).call('discern_status', { path });
    assert.equal((envelope.data.changes as { unstaged: number }).unstaged, 1);
  });
});
