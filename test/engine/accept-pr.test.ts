import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nothingLanded, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { type ForgeScript, forgeScript, prints, printsJson } from '../support/forge-cli.ts';
import { runs } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project whose remote is called as on a forge, and lies in a bare repository beside it. */
async function onForge(url: string, options?: Parameters<typeof make>[0]) {
  const project = await make(options);
  const hub = join(project.home, 'hub.git');
  await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
  await git(project.root, 'config', `url.${hub}.insteadOf`, url);
  await git(project.root, 'remote', 'add', 'origin', url);
  await git(project.root, 'fetch', '--quiet', 'origin');
  return { project, hub };
}

async function work(project: Project, messages = ['Add a discount\n\nFor regular customers.']) {
  const { path, branch = '' } = await started(project.root, { name: 'discount' });
  let commit = '';
  for (const [n, message] of messages.entries())
    commit = await project.commit({ [`src/b${n}.txt`]: `${n}\n` }, path, message);
  return { path, branch: branch ?? '', commit };
}

/** All that a pull request must not move, here and there. */
const unmoved = async ({ project, hub }: { project: Project; hub: string }) => [
  await git(project.root, 'rev-parse', 'main'),
  await git(hub, 'for-each-ref', '--format=%(refname) %(objectname)'),
  await git(project.root, 'worktree', 'list', '--porcelain'),
];

const ghList = (number: number, commit: string, state = 'OPEN') => ({
  number,
  url: `https://github.com/acme/shop/pull/${number}`,
  state,
  headRefOid: commit,
  isCrossRepository: false,
});

let cli: ForgeScript | undefined;
async function script(name: 'gh' | 'glab' | 'tea', project: Project): Promise<ForgeScript> {
  cli = await forgeScript(name, project.home);
  return cli;
}

const github = 'https://github.com/acme/shop.git';
const pr = (path: string) => verb('accept', path, { pr: true });

/** Its checks are waited for, as far as they come: the last look has them all, one of them failed. */
async function assertAwaited(project: Project, path: string, gh: ForgeScript): Promise<void> {
  process.env.DISCERN_FORGE_POLL = '0.01';
  const ask = (timeout: number) => verb('await', path, { until: 'checks', timeout });
  try {
    const ended = join(project.home, 'ended');
    const check = (bucket: string) => ({
      name: 'test',
      bucket,
      link: 'https://github.com/acme/shop/actions/runs/1/job/11',
    });
    const shell = (last: string) =>
      `if test -e '${ended}'; then rm '${ended}'; ${printsJson([check(last)])}\nelse touch '${ended}'; ${printsJson([check('pending')])}\nexit 8; fi`;
    await gh.answers('pr checks', shell('fail'));
    const red = await ask(60);
    refusedWith(red, 'gate_failed', /pull\/7: 1 check of 1 failed: "test"/);
    assert.deepEqual([red.data?.happened, red.diagnostics?.[0]?.message], ['checks', 'Error: 3 is not 4']);
    await gh.answers('pr checks', shell('pass'));
    assert.match((await ask(60)).message ?? '', /All of its checks came out well/);
    await gh.answers('pr checks', `${printsJson([check('pending')])}\nexit 8`);
    refusedWith(await ask(1), 'timed_out', /1 are still to come.*call await again/);
    await gh.answers('pr checks', `echo "no checks reported on the 'x' branch" >&2; exit 1`);
    assert.match(succeeded(await ask(60)).pull_request?.url ?? '', /pull\/7/);
  } finally {
    delete process.env.DISCERN_FORGE_POLL;
  }
}

describe('accept with pr', () => {
  afterEach(async () => {
    cli?.end();
    cli = undefined;
    await removeAll();
  });

  it('pushes the branch and opens a pull request by gh; again it tells the checks and the failing log; later pushes go to it', async () => {
    const { project, hub } = await onForge(github);
    const { path, branch, commit } = await work(project);
    const gh = await script('gh', project);
    await gh.answers('pr list', prints('[]'));
    await gh.answers('pr create', prints('https://github.com/acme/shop/pull/7'));
    const trunk = await git(project.root, 'rev-parse', 'main');
    const answer = await pr(path);
    const { landing, pull_request: opened, root, landed_commit: landed } = succeeded(answer);
    assert.deepEqual(
      [landing, root, landed, opened],
      [
        nothingLanded,
        path,
        undefined,
        {
          url: 'https://github.com/acme/shop/pull/7',
          number: 7,
          forge: 'gh',
          remote: 'origin',
          base: 'main',
          state: 'opened',
        },
      ],
    );
    assert.match(answer.message ?? '', /Opened: https:\S+\/pull\/7\. .*the worktree stays/);
    assert.equal(
      await git(hub, 'for-each-ref', '--format=%(refname) %(objectname)'),
      `refs/heads/${branch} ${commit}\nrefs/heads/main ${trunk}`,
    );
    assert.equal(await git(project.root, 'rev-parse', 'main'), trunk);
    const [listing, creating] = await gh.calls();
    const repo = ['--repo', 'github.com/acme/shop'];
    assert.deepEqual(listing?.slice(0, 4), ['pr', 'list', '--head', branch]);
    assert.deepEqual(listing?.slice(-2), repo);
    const body = `For regular customers.\n\nThe gate passed on ${commit.slice(0, 10)} (tree ${(await git(path, 'rev-parse', 'HEAD^{tree}')).slice(0, 10)}): `;
    assert.deepEqual(creating?.slice(0, 9), [
      ...['pr', 'create', '--head', branch, '--base', 'main', '--title', 'Add a discount', '--body'],
    ]);
    assert.ok(creating?.[9]?.startsWith(body), creating?.[9]);
    assert.deepEqual(creating?.slice(10), repo);

    await gh.answers(
      'pr list',
      printsJson([{ ...ghList(6, commit), isCrossRepository: true }, ghList(7, commit)]),
    );
    await gh.answers(
      'pr checks',
      `${printsJson([
        { name: 'lint', bucket: 'pass', link: 'https://github.com/acme/shop/actions/runs/1/job/10' },
        { name: 'test', bucket: 'fail', link: 'https://github.com/acme/shop/actions/runs/1/job/11' },
        { name: 'e2e', bucket: 'pending', link: '' },
      ])}\nexit 8`,
    );
    await gh.answers(
      'run view',
      prints(
        'test\tRun npm test\t2026-01-02T03:04:05.678Z > shop test\ntest\tRun npm test\t2026-01-02T03:04:06.678Z Error: 3 is not 4',
      ),
    );
    const again = await pr(path);
    assert.deepEqual(succeeded(again).pull_request?.checks, [
      { name: 'lint', state: 'passed', url: 'https://github.com/acme/shop/actions/runs/1/job/10' },
      { name: 'test', state: 'failed', url: 'https://github.com/acme/shop/actions/runs/1/job/11' },
      { name: 'e2e', state: 'pending' },
    ]);
    assert.match(again.message ?? '', /pull\/7\. 1 check of 3 failed: "test", and 1 check still to come/);
    assert.deepEqual(again.diagnostics, [
      {
        tool: 'test',
        severity: 'error',
        message: 'Error: 3 is not 4',
        reproduce_cmd: 'gh run view --repo github.com/acme/shop --job 11 --log-failed',
        output: '> shop test\nError: 3 is not 4',
      },
    ]);
    await assertAwaited(project, path, gh);
    const next = await project.commit({ 'src/c.txt': 'c\n' }, path, 'Correct it');
    assert.equal(succeeded(await pr(path)).pull_request?.state, 'updated');
    assert.equal(await git(hub, 'rev-parse', branch), next);
    assert.ok(!(await gh.calls()).some(([, word]) => word === 'create'), 'opened once only');

    await gh.answers('pr list', printsJson([ghList(7, next, 'MERGED')]));
    const merged = await pr(path);
    assert.equal(succeeded(merged).pull_request?.state, 'merged');
    assert.match(merged.message ?? '', /was merged.*git pull.*drop this worktree/);
  });

  it('opens a merge request by glab, of a repository in a group, and reads jobs and their log', async () => {
    const { project, hub } = await onForge('git@gitlab.com:acme/web/shop.git');
    const { path, branch, commit } = await work(project, ['First', 'Second']);
    const glab = await script('glab', project);
    const url = 'https://gitlab.com/acme/web/shop/-/merge_requests/3';
    await glab.answers('api', prints('[]'));
    await glab.answers('mr create', prints(`!3 First (${branch})\n ${url}`));
    assert.deepEqual(succeeded(await pr(path)).pull_request, {
      url,
      number: 3,
      forge: 'glab',
      remote: 'origin',
      base: 'main',
      state: 'opened',
    });
    assert.equal(await git(hub, 'rev-parse', branch), commit);
    const [asking, creating] = await glab.calls();
    const project_ = 'projects/acme%2Fweb%2Fshop';
    assert.deepEqual(asking, [
      ...['api', '--hostname', 'gitlab.com'],
      `${project_}/merge_requests?source_branch=${encodeURIComponent(branch)}&per_page=30`,
    ]);
    assert.deepEqual(creating?.slice(0, 12), [
      ...['mr', 'create', '--repo', 'https://gitlab.com/acme/web/shop'],
      ...['--head', 'https://gitlab.com/acme/web/shop', '--source-branch', branch],
      ...['--target-branch', 'main', '--title', 'First'],
    ]);
    assert.match(creating?.[13] ?? '', /^- First\n- Second\n\nThe gate passed on/);
    assert.equal(creating?.at(-1), '--yes');
    const merge = {
      iid: 3,
      web_url: url,
      state: 'opened',
      sha: commit,
      source_project_id: 5,
      target_project_id: 5,
    };
    await glab.answers(
      'api',
      `case "$4" in
        *merge_requests?source*) ${printsJson([merge])}\n;;
        *merge_requests/3/pipelines) ${printsJson([
          { id: 9, status: 'failed' },
          { id: 8, status: 'success' },
        ])}\n;;
        *pipelines/9/jobs*) ${printsJson([
          { id: 1, name: 'lint', status: 'failed', allow_failure: true, web_url: null },
          { id: 2, name: 'test', status: 'failed', allow_failure: false, web_url: 'https://gitlab.com/j/2' },
          { id: 4, name: 'deploy', status: 'manual', allow_failure: false },
        ])}\n;;
        *jobs/2/trace) printf '\\033[0Ksection_start:1:step\\r\\033[0Krunning\\n\\033[31;1mERROR: no such price\\033[0m\\n';;
      esac`,
    );
    const again = await pr(path);
    assert.deepEqual(
      succeeded(again).pull_request?.checks?.map(({ name, state }) => [name, state]),
      [
        ['lint', 'skipped'],
        ['test', 'failed'],
        ['deploy', 'skipped'],
      ],
    );
    assert.deepEqual(
      again.diagnostics?.map(({ tool, message, output }) => [tool, message, output]),
      [['test', 'ERROR: no such price', 'running\nERROR: no such price']],
    );
  });

  it('opens one by tea on a host of one’s own that tea is logged in to, and reads the commit’s statuses', async () => {
    const { project, hub } = await onForge('ssh://git@code.example.org:2222/acme/shop.git');
    const { path, branch, commit } = await work(project);
    const tea = await script('tea', project);
    const login = {
      name: 'mine',
      url: 'https://code.example.org',
      ssh_host: 'code.example.org',
      user: 'me',
      default: 'true',
    };
    await tea.answers(
      'login list',
      printsJson([{ ...login, name: 'other', url: 'https://x.example', ssh_host: 'x' }, login]),
    );
    // One of the same branch name was merged before, of another commit: it is not this work's.
    await tea.answers(
      'pulls list',
      printsJson([{ index: '7', url: 'https://x', state: 'merged', head: branch }]),
    );
    await tea.answers('api', printsJson({ head: { sha: '0'.repeat(40) } }));
    const url = 'https://code.example.org/acme/shop/pulls/12';
    await tea.answers('pulls create', prints(`  # #12 Add a discount (open)\n\n${url}`));
    assert.equal(succeeded(await pr(path)).pull_request?.url, url);
    assert.equal(await git(hub, 'rev-parse', branch), commit);
    const creating = (await tea.calls()).find(([, word]) => word === 'create');
    assert.deepEqual(creating?.slice(0, 12), [
      ...['pulls', 'create', '--login', 'mine', '--repo', 'acme/shop', '--head', branch, '--base', 'main'],
      ...['--title', 'Add a discount'],
    ]);
    await tea.answers('pulls list', printsJson([{ index: '12', url, state: 'open', head: branch }]));
    await tea.answers(
      'api',
      printsJson({
        state: 'failure',
        statuses: [{ context: 'ci / test', status: 'failure', target_url: '/r/1' }],
      }),
    );
    const again = await pr(path);
    assert.deepEqual(succeeded(again).pull_request?.checks, [
      { name: 'ci / test', state: 'failed', url: '/r/1' },
    ]);
    // Versions of tea that have no such command.
    await tea.answers('api', 'echo "No help topic for api" >&2; exit 3');
    assert.match((await pr(path)).message ?? '', /tea cannot tell of its checks/);
  });

  it('refuses plainly, before anything is pushed, what the forge’s command line cannot do', async () => {
    const { project, hub } = await onForge(github);
    const { path } = await work(project);
    const before = await unmoved({ project, hub });
    const gh = await script('gh', project);
    const cases: [string, string, string, RegExp][] = [
      [
        'nobody is logged in',
        'echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4',
        'unavailable',
        /Nothing was pushed\. Run "gh auth login --hostname github\.com" in a terminal, since gh is not logged in/,
      ],
      [
        'wrong credentials',
        'echo "HTTP 401: Bad credentials (https://api.github.com/graphql)" >&2; exit 1',
        'unavailable',
        /Bad credentials.*Run "gh auth login/,
      ],
      [
        'no network',
        'echo "error connecting to api.github.com" >&2; exit 1',
        'unavailable',
        /could not list the pull requests \(error connecting to api\.github\.com\)\. Nothing was pushed/,
      ],
      [
        'it asks, and nobody is there',
        'printf "Password: "; read -r answer || { echo "cannot read" >&2; exit 1; }; echo "[]"',
        'unavailable',
        /cannot read/,
      ],
      [
        'it answers something else',
        prints('Welcome to gh!'),
        'unavailable',
        /does not understand \("Welcome to gh!"\): update gh/,
      ],
    ];
    for (const [what, shell, slug, message] of cases) {
      await gh.answers('pr list', shell);
      refusedWith(await pr(path), slug, message);
      assert.deepEqual(await unmoved({ project, hub }), before, what);
    }
    assert.equal((await verb('status', path)).data?.proof?.state, 'none', 'no gate was waited for');
  });

  it('ends a command line that hangs, with all it started', async () => {
    const { project, hub } = await onForge(github);
    const { path } = await work(project);
    const gh = await script('gh', project);
    const pids = join(project.home, 'pids');
    await gh.answers('pr list', `sleep 600 & echo "$! $$" > '${pids}'; wait`);
    const before = await unmoved({ project, hub });
    process.env.DISCERN_FORGE_TIMEOUT = '0.3';
    try {
      refusedWith(
        await pr(path),
        'timed_out',
        /"gh pr list" took longer than 0\.3 seconds and was ended.*gh auth status/,
      );
    } finally {
      delete process.env.DISCERN_FORGE_TIMEOUT;
    }
    for (const pid of (await readFile(pids, 'utf8')).trim().split(' '))
      assert.equal(runs(Number(pid)), false);
    assert.deepEqual(await unmoved({ project, hub }), before);
  });

  it('names the command line to install, or says that there is no forge', async () => {
    const { project, hub } = await onForge(github);
    const { path } = await work(project);
    const before = await unmoved({ project, hub });
    const bin = join(project.home, 'bin');
    await mkdir(bin);
    await symlink(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
    const whole = process.env.PATH;
    process.env.PATH = bin;
    try {
      refusedWith(
        await pr(path),
        'unavailable',
        /github\.com needs gh, which is not on PATH: install the GitHub CLI/,
      );
      const elsewhere = 'https://code.example.org/acme/shop.git';
      await git(project.root, 'config', `url.${hub}.insteadOf`, elsewhere);
      await git(project.root, 'remote', 'set-url', 'origin', elsewhere);
      refusedWith(
        await pr(path),
        'unavailable',
        /not known what forge code\.example\.org is: no command line of a forge is on PATH/,
      );
      await git(project.root, 'remote', 'set-url', 'origin', hub);
      refusedWith(await pr(path), 'unavailable', /is on no forge.*accept with push/);
      await git(project.root, 'remote', 'remove', 'origin');
      refusedWith(await pr(path), 'unknown_ref', /has no remote.*git remote add origin/);
    } finally {
      process.env.PATH = whole;
    }
    assert.deepEqual(await unmoved({ project, hub }), before);
  });

  it('refuses what cannot be a pull request', async () => {
    const { project, hub } = await onForge(github);
    const { path, branch } = await work(project);
    const gh = await script('gh', project);
    await gh.answers('pr list', prints('[]'));
    const before = await unmoved({ project, hub });
    refusedWith(await pr(project.root), 'not_in_worktree');
    refusedWith(
      await verb('accept', path, { pr: true, push: true }),
      'invalid_argument',
      /push does not go with it/,
    );
    refusedWith(
      await verb('accept', path, { pr: true, how: 'squash' }),
      'invalid_argument',
      /how does not go with it/,
    );
    await project.write({ 'src/loose.txt': 'x\n' }, path);
    refusedWith(await pr(path), 'dirty_worktree', /src\/loose\.txt/);
    await git(path, 'clean', '--quiet', '--force');
    const empty = await started(project.root, { name: 'empty' });
    refusedWith(await pr(empty.path), 'invalid_argument', /nothing to land/);
    succeeded(await verb('drop', project.root, { worktree: empty.path, delete_branch: true }));
    const preview = await verb('accept', path, { pr: true, dry_run: true });
    assert.ok(preview.plan?.steps.some(({ detail }) => detail?.startsWith(`${branch} into main`)));
    assert.deepEqual((await verb('accept', path, { dry_run: true })).data?.ways, ['queue', 'push', 'pr']);
    assert.deepEqual(await gh.calls(), [], 'the forge was not asked');
    refusedWith(
      await verb('await', path, { until: 'checks' }),
      'invalid_argument',
      /no open pull request.*accept with pr/,
    );
    assert.deepEqual(await unmoved({ project, hub }), before);
    // The trunk is called otherwise over there, as this branch is called here.
    await git(project.root, 'branch', '--move', branch, 'release');
    await git(project.root, 'config', 'branch.main.remote', 'origin');
    await git(project.root, 'config', 'branch.main.merge', 'refs/heads/release');
    await git(project.root, 'worktree', 'add', '--quiet', '--force', join(project.home, 'own'), 'release');
    const answer = await pr(join(project.home, 'own'));
    refusedWith(answer, 'invalid_argument', /release is what origin calls its trunk/);
    assert.equal(await git(hub, 'for-each-ref'), await git(hub, 'for-each-ref', 'refs/heads/main'));
  });

  it('pushes nothing that the gate does not pass, and nothing over what others pushed', async () => {
    const { project, hub } = await onForge(github);
    const { path, branch, commit } = await work(project);
    const gh = await script('gh', project);
    await gh.answers('pr list', prints('[]'));
    const before = await unmoved({ project, hub });
    await project.commit({ 'src/bad.txt': 'BROKEN\n' }, path, 'Bad');
    const red = await pr(path);
    refusedWith(red, 'gate_failed', /^Nothing was landed/);
    assert.deepEqual(await unmoved({ project, hub }).then((all) => all[1]), before[1]);
    await git(path, 'reset', '--quiet', '--hard', commit);
    const other = join(project.home, 'other');
    await git(project.home, 'clone', '--quiet', hub, other);
    const theirs = await project.commit({ 'src/t.txt': 't\n' }, other, 'Theirs');
    await git(other, 'push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
    refusedWith(
      await pr(path),
      'branch_exists',
      /has commits that this worktree lacks.*nothing is ever forced.*git fetch origin/,
    );
    assert.equal(await git(hub, 'rev-parse', branch), theirs);
    await git(path, 'fetch', '--quiet', 'origin', branch);
    succeeded(await verb('update', path, { from: 'FETCH_HEAD' }));
    await gh.answers('pr create', prints('https://github.com/acme/shop/pull/8'));
    assert.equal(succeeded(await pr(path)).pull_request?.number, 8);
    await git(hub, 'merge-base', '--is-ancestor', theirs, branch);
  });

  it('says what is done by then where the remote rejects, or where the pull request is not opened', async () => {
    const { project, hub } = await onForge(github);
    const { path, branch, commit } = await work(project);
    const gh = await script('gh', project);
    await gh.answers('pr list', prints('[]'));
    const hook = join(hub, 'hooks/pre-receive');
    await writeFile(hook, '#!/bin/sh\necho "names begin with a ticket" >&2; exit 1\n');
    await chmod(hook, 0o755);
    const before = await unmoved({ project, hub });
    refusedWith(
      await pr(path),
      'unavailable',
      /origin did not take agent\/.*names begin with a ticket.*Nothing was pushed/,
    );
    assert.deepEqual(await unmoved({ project, hub }), before);
    await chmod(hook, 0o644);
    await gh.answers(
      'pr create',
      'echo "pull request create failed: GraphQL: Resource not accessible by personal access token" >&2; exit 1',
    );
    refusedWith(
      await pr(path),
      'unavailable',
      /could not open the pull request \(.*not accessible.*\)\. agent\/\S+ is on origin\./,
    );
    assert.equal(await git(hub, 'rev-parse', branch), commit);
    // Somebody was faster: the one that is there now is the answer.
    const now = join(project.home, 'there');
    await gh.answers(
      'pr list',
      `if test -e '${now}'; then ${printsJson([ghList(9, commit)])}\nelse echo '[]'; fi`,
    );
    await gh.answers(
      'pr create',
      `touch '${now}'; echo 'a pull request for branch "x" into branch "main" already exists:' >&2; exit 1`,
    );
    assert.equal(succeeded(await pr(path)).pull_request?.url, 'https://github.com/acme/shop/pull/9');
  });
});
