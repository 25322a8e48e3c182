import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Held } from '../../src/contract/data.ts';
import { Session, type SessionOptions } from '../../src/server/session.ts';
import { rootDirectories } from '../../src/server/spawn-root.ts';
import { git, type Project, plainConfig, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** What a session made with these options holds. */
async function held(options: Partial<SessionOptions>, askRoots?: () => Promise<string[]>): Promise<Held> {
  const session = new Session({ env: {}, cwd: undefined, ...options });
  return (await session.held(askRoots)).describe();
}

const tried = ({ candidates = [] }: Held) =>
  candidates.map(({ mechanism, value, outcome }) => `${mechanism} ${value ?? '-'}: ${outcome}`);

describe('A session’s spawn root', () => {
  let project: Project;
  let outside: string;

  before(async () => {
    project = await make({ files: { 'lib/deep/x.txt': 'x\n', 'packages/one/discern.toml': plainConfig } });
    outside = join(project.home, 'outside');
    await mkdir(outside);
  });
  after(removeAll);

  it('is found from a sub-directory, through a link, and relative to where the server was launched', async () => {
    const link = join(project.home, 'link');
    await symlink(join(project.root, 'lib'), link);
    for (const [root, cwd] of [
      [join(project.root, 'lib/deep'), '/'],
      [join(link, 'deep'), '/'],
      ['.', join(project.root, 'lib')],
      ['../link/deep', outside],
    ] as const) {
      for (const options of [
        { root, cwd },
        { cwd, env: { DISCERN_ROOT: root } },
      ]) {
        assert.equal((await held(options)).root, project.root, root);
      }
    }
    assert.equal((await held({ cwd: join(project.root, 'lib/deep') })).root, project.root);
  });

  it('is a nested project’s own root, never the one above it', async () => {
    const nested = join(project.root, 'packages/one');
    assert.equal((await held({ root: nested })).root, nested);
  });

  it('is the next candidate when one names no project, which stays on record', async () => {
    const found = await held({ root: outside, env: { DISCERN_ROOT: project.root } });
    assert.equal(found.mechanism, 'DISCERN_ROOT');
    assert.match(tried(found)[0] ?? '', new RegExp(`^--root ${outside}: No discern.toml was found`));
  });

  it('is the first project of several workspace folders, whose names may hold what parts them', async () => {
    const missing = join(project.home, 'not-there');
    const odd = join(project.home, 'a,b: c');
    await git(project.home, 'clone', '--quiet', project.root, join(odd, 'clone'));
    for (const separator of [':', ',', ', ']) {
      const folders = [missing, outside, join(odd, 'clone/lib'), project.root].join(separator);
      const found = await held({ env: { WORKSPACE_FOLDER_PATHS: folders } });
      assert.equal(found.root, join(odd, 'clone'));
      const [, , first, second, third, ...more] = tried(found);
      assert.match(first ?? '', new RegExp(`^WORKSPACE_FOLDER_PATHS ${missing}: .*does not exist`));
      assert.match(second ?? '', new RegExp(`^WORKSPACE_FOLDER_PATHS ${outside}: No discern.toml`));
      assert.equal(third, `WORKSPACE_FOLDER_PATHS ${join(odd, 'clone/lib')}: chosen`);
      assert.deepEqual(more, []);
    }
  });

  it('is the first of the client’s roots that is one, those that are no directory on record too', async () => {
    const uris = ['https://example.invalid/x', `file://${outside}`, `file://${project.root}/lib%2Fdeep`];
    const roots = [...uris.slice(0, 2), `file://${project.root}/lib`].map((uri) => ({ uri }));
    const found = await held({ cwd: outside }, async () => rootDirectories(roots));
    assert.equal(found.root, project.root);
    const [, , , , first, second, third] = tried(found);
    assert.match(first ?? '', /^roots\/list https:\/\/example\.invalid\/x: .*is not an absolute path/);
    assert.match(second ?? '', new RegExp(`^roots/list ${outside}: No discern.toml`));
    assert.equal(third, `roots/list ${project.root}/lib: chosen`);
    assert.deepEqual(rootDirectories([{ uri: uris[2] ?? '' }]), [uris[2]], 'not decodable: kept as it is');
  });

  it('goes on to the current directory when the client does not answer', async () => {
    const found = await held({ cwd: project.root }, () => Promise.reject(new Error('no answer')));
    assert.equal(found.root, project.root);
    assert.deepEqual(tried(found).slice(4), [
      'roots/list -: could not be asked: no answer',
      `cwd ${project.root}: chosen`,
    ]);
  });
});
