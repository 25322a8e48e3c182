import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { scrubbedEnv } from '../../src/engine/process/env.ts';
import { verb } from '../support/engine.ts';
import { config } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const printing = config({
  test: '"env > ../env-of-job; pwd > ../cwd-of-job; git rev-parse --git-dir HEAD > ../git-of-job"',
});

/** What the job of `printing` saw; its files lie beside the checkout it ran in. */
async function seen(checkout: string) {
  const read = async (name: string) => (await readFile(join(checkout, '..', name), 'utf8')).trim();
  const env = new Map(
    (await read('env-of-job')).split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  return { env, cwd: await read('cwd-of-job'), git: await read('git-of-job') };
}

/** Runs `what` with more variables in this process's environment, as a server would be started with them. */
async function within<T>(extra: Record<string, string>, what: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, extra);
  try {
    return await what();
  } finally {
    for (const name of Object.keys(extra)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** Everything by which an outer git could send ours to the repository `elsewhere`. */
const redirecting = (elsewhere: Project): Record<string, string> => ({
  GIT_DIR: join(elsewhere.root, '.git'),
  GIT_WORK_TREE: elsewhere.root,
  GIT_INDEX_FILE: join(elsewhere.root, '.git', 'index'),
  GIT_OBJECT_DIRECTORY: join(elsewhere.root, '.git', 'objects'),
  GIT_COMMON_DIR: join(elsewhere.root, '.git'),
  GIT_PREFIX: 'src/',
  GIT_NAMESPACE: 'other',
  GIT_ALTERNATE_OBJECT_DIRECTORIES: join(elsewhere.root, '.git', 'objects'),
  GIT_CEILING_DIRECTORIES: '/',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.worktree',
  GIT_CONFIG_VALUE_0: elsewhere.root,
  GIT_CONFIG_PARAMETERS: `'core.bare=true'`,
  GIT_LITERAL_PATHSPECS: '1',
});

const hosts = {
  VSCODE_PID: '1',
  VSCODE_IPC_HOOK_CLI: '/tmp/hook',
  VSCODE_GIT_ASKPASS_MAIN: '/opt/code/askpass-main.js',
  ELECTRON_RUN_AS_NODE: '1',
  GIT_ASKPASS: '/opt/code/askpass.sh',
};

describe('The environment of a job', () => {
  afterEach(removeAll);

  it('has its root, and is the directory it starts in, wherever we stand', async () => {
    const project = await make({ config: printing });
    assert.notEqual(process.cwd(), project.root);
    assert.equal((await verb('done', join(project.root, 'src'))).ok, true);
    const { env, cwd } = await seen(project.root);
    assert.equal(cwd, project.root);
    assert.equal(env.get('DISCERN_ROOT'), project.root);
    assert.equal(env.get('DISCERN_WORKTREE_ID'), undefined, 'the main checkout is no worktree');
    assert.equal(env.get('DISCERN_WORKTREE_PORT'), undefined);
  });

  it('is the sub-directory of a project below the git top', async () => {
    const project = await make({
      files: { 'packages/web/discern.toml': config({ test: '"pwd > ../../../cwd-of-job"' }) },
    });
    const inner = join(project.root, 'packages', 'web');
    assert.equal((await verb('test', inner)).data?.root, inner);
    assert.equal((await readFile(join(project.home, 'cwd-of-job'), 'utf8')).trim(), inner);
  });

  it('has the identity of the worktree it runs in, whatever ours says', async () => {
    const project = await make({ config: `${printing}[worktree.resources.db]\n` });
    const start = await verb('start', project.root, { name: 'one' });
    const path = start.data?.path ?? '';
    const ours = {
      DISCERN_ROOT: '/elsewhere',
      DISCERN_WORKTREE_ID: 'other',
      DISCERN_WORKTREE_PORT: '1',
      DISCERN_WORKTREE: 'other',
      DISCERN_RESOURCE_DB: 'another project’s',
      DISCERN_RESOURCE_OTHER: 'another project’s',
    };
    const done = await within(ours, () => verb('done', path));
    assert.equal(done.ok, true, done.message);
    const { env, cwd } = await seen(path);
    assert.equal(cwd, path);
    assert.equal(env.get('DISCERN_ROOT'), path);
    assert.equal(env.get('DISCERN_WORKTREE_ID'), start.data?.id);
    assert.equal(env.get('DISCERN_WORKTREE_PORT'), String(start.data?.port));
    assert.equal(env.get('DISCERN_WORKTREE'), `sample-${start.data?.id}`);
    assert.equal(env.get('DISCERN_RESOURCE_DB'), `sample-${start.data?.id}-db`);
    assert.equal(env.get('DISCERN_RESOURCE_OTHER'), undefined, 'it declares no such resource');
  });

  it('lacks our secret and settings, what the host left and what redirects git, and keeps the rest', async () => {
    const project = await make({ config: printing });
    const elsewhere = await make({ name: 'elsewhere' });
    const secret = { DISCERN_MCP_TOKEN: 'a-secret-of-sixteen', DISCERN_MCP_TRANSPORT: 'http' };
    const kept = { DEPLOY_TARGET: 'staging', GIT_PAGER: 'cat' };
    const done = await within({ ...redirecting(elsewhere), ...hosts, ...secret, ...kept }, () =>
      verb('done', project.root),
    );
    assert.equal(done.ok, true, done.message);
    const { env, git: answer } = await seen(project.root);
    for (const name of Object.keys({ ...redirecting(elsewhere), ...hosts, ...secret })) {
      assert.equal(env.get(name), undefined, name);
    }
    for (const [name, value] of Object.entries(kept)) assert.equal(env.get(name), value);
    assert.equal(answer, `.git\n${done.data?.commit}`, 'git in a job speaks of the project');
  });
});

describe('A redirected environment', () => {
  afterEach(removeAll);

  it('sends no verb to another repository', async () => {
    const project = await make({ config: printing });
    const elsewhere = await make({ name: 'elsewhere', files: { 'src/other.txt': 'other\n' } });
    const before = await git(elsewhere.root, 'for-each-ref');
    const env = redirecting(elsewhere);

    const start = await within(env, () => verb('start', project.root, { name: 'one' }));
    assert.equal(start.ok, true, start.message);
    const path = start.data?.path ?? '';
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    const done = await within(env, () => verb('done', path));
    assert.equal(done.data?.commit, commit);
    assert.equal(done.data?.proof?.state, 'valid', done.message);
    const status = await within(env, () => verb('status', path));
    assert.equal(status.data?.commit, commit);
    assert.equal(status.data?.clean, true);
    const accept = await within(env, () => verb('accept', path));
    assert.equal(accept.ok, true, accept.message);
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    assert.equal(await git(elsewhere.root, 'for-each-ref'), before);
  });

  it('does not move status by one variable alone', async () => {
    const project = await make();
    const elsewhere = await make({ name: 'elsewhere' });
    await elsewhere.write({ 'src/a.txt': 'changed\n' });
    const commit = await git(project.root, 'rev-parse', 'HEAD');
    const env = redirecting(elsewhere);
    for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']) {
      const { data } = await within({ [name]: env[name] ?? '' }, () => verb('status', project.root));
      assert.deepEqual([data?.root, data?.commit, data?.clean], [project.root, commit, true], name);
    }
  });
});

describe('Scrubbing an environment', () => {
  it('takes out every variable git itself calls local to a repository', async () => {
    const local = (await git('/', 'rev-parse', '--local-env-vars')).split('\n');
    assert.ok(local.length > 10);
    assert.deepEqual(scrubbedEnv(Object.fromEntries(local.map((name) => [name, 'x']))), {});
  });

  it('keeps a person’s own askpass and takes out the one VS Code set', () => {
    const own = { GIT_ASKPASS: '/usr/bin/ksshaskpass', SSH_ASKPASS: '/usr/bin/ksshaskpass' };
    assert.deepEqual(scrubbedEnv(own), own);
    assert.deepEqual(scrubbedEnv({ ...own, VSCODE_GIT_ASKPASS_MAIN: '/opt/code/main.js' }), {});
  });

  it('keeps what it does not know, adds nothing, and leaves the given one alone', () => {
    const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/);
    const special = fc.constantFrom(
      'GIT_DIR',
      'VSCODE_X',
      'GIT_CONFIG_KEY_7',
      'DISCERN_MCP_TOKEN',
      'PATH',
      'GIT_PAGER',
    );
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(name, special), fc.string()), (env) => {
        const given = { ...env };
        const clean = scrubbedEnv(env);
        assert.deepEqual({ ...env }, given);
        for (const [key, value] of Object.entries(clean)) assert.equal(value, env[key]);
        for (const key of Object.keys(env)) {
          if (!/^(?:GIT_|VSCODE_|DISCERN_|ELECTRON_|SSH_ASKPASS)/.test(key)) assert.ok(key in clean, key);
        }
        assert.deepEqual(scrubbedEnv(clean), clean, 'scrubbing twice changes nothing more');
      }),
    );
  });
});
