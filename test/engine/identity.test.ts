import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Context } from '../../src/engine/call/context.ts';
import { cksum } from '../../src/engine/files/cksum.ts';
import { openRepository } from '../../src/engine/repository/repository.ts';
import {
  expandTokens,
  identityVariables,
  resourceHandle,
  resourceVariable,
} from '../../src/engine/worktree/handles.ts';
import { identify } from '../../src/engine/worktree/identify.ts';
import { portFor, readRecord } from '../../src/engine/worktree/identity.ts';
import { git, projects } from '../support/project.ts';

const identity = { id: 'login-ab12cd', slug: 'shop', port: 17_291 };
const place = { resource: 'dev_db', dir: '/w/login', projectSlug: 'Shop' };

describe('The names of what belongs to a worktree', () => {
  for (const [command, expected] of [
    ['createdb @db@', 'createdb shop_login_ab12cd'],
    ['@resource@ @worktree@', 'shop-login-ab12cd-dev-db shop-login-ab12cd'],
    ["'@dir@' @port@ @project_slug@ @site@", "'/w/login' 17291 Shop shop-login-ab12cd"],
    ['@resource@@port@', 'shop-login-ab12cd-dev-db17291'],
    ['me@port@host @else@ @PORT@', 'me17291host @else@ @PORT@'],
    [
      `\${port} \${worktree.port} \${map.dir} $DISCERN_WORKTREE`,
      `\${port} \${worktree.port} \${map.dir} $DISCERN_WORKTREE`,
    ],
    ['', ''],
  ] as const) {
    it(`put into "${command}" make "${expected}"`, () => {
      assert.equal(expandTokens(command, identity, place), expected);
    });
  }

  it('fit a DNS label however long the id is, and differ as the ids do', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,50}-[a-f0-9]{6}$/), (id) => {
        const site = expandTokens('@site@', { ...identity, id }, place);
        assert.ok(site.length <= 63 && /^[a-z0-9-]+$/.test(site), site);
      }),
    );
  });

  it('are plain whatever the id and the resource are called', () => {
    assert.equal(
      resourceHandle({ slug: 'shop', id: 'größe-日本-00ff00' }, 'My_DB'),
      'shop-gr-e-00ff00-my-db',
    );
    assert.equal(resourceVariable('my-cache_2'), 'DISCERN_RESOURCE_MY_CACHE_2');
    assert.equal(resourceVariable('-db-'), 'DISCERN_RESOURCE_DB');
  });

  it('are in the variables', () => {
    assert.deepEqual(identityVariables(identity, ['db']), {
      DISCERN_WORKTREE_ID: 'login-ab12cd',
      DISCERN_WORKTREE_PORT: '17291',
      DISCERN_WORKTREE: 'shop-login-ab12cd',
      DISCERN_RESOURCE_DB: 'shop-login-ab12cd-db',
    });
  });
});

describe('The port of a worktree', () => {
  for (const [text, sum] of [
    ['', 4_294_967_295],
    ['login-ab12cd', 637_905_763],
    ['123456789', 930_766_865],
  ] as const) {
    it(`comes from the checksum cksum(1) prints, ${sum} for "${text}"`, () => assert.equal(cksum(text), sum));
  }

  it('is in the published band, and the same for the same id', () => {
    assert.equal(portFor('login-ab12cd', new Set()), 17_290 + (637_905_763 % 2_000));
    const last = [...Array(20_000).keys()].map(String).find((id) => portFor(id, new Set()) === 19_289) ?? '';
    assert.equal(portFor(last, new Set([19_289])), 17_290, 'it goes round at the end');
  });

  it('is never one that is taken, even when the band is full', () => {
    const taken = new Set<number>();
    for (let n = 0; n < 2_500; n++) {
      const port = portFor('same', taken);
      assert.ok(!taken.has(port) && port < 32_768);
      taken.add(port);
    }
  });
});

describe('Two worktrees that ask for the same port in the same instant', () => {
  const { make, removeAll } = projects();
  afterEach(removeAll);

  it('get two, each the one in its record and in its answer', async () => {
    const project = await make();
    const wanted = portFor('a', new Set());
    const other = [...Array(20_000).keys()]
      .map((n) => `b${n}`)
      .find((id) => portFor(id, new Set()) === wanted);
    const ids = ['a', other ?? ''];
    for (const id of ids)
      await git(project.root, 'worktree', 'add', '--quiet', '-b', id, join(project.home, id));
    const repo = await openRepository(project.root);
    const ctx: Context = { signal: new AbortController().signal, emit: () => undefined, client: 'unknown' };
    const made = await Promise.all(
      ids.map((id) =>
        identify(
          repo,
          { id, branch: id, path: join(project.home, id), base: 'main', baseCommit: repo.commit },
          ctx,
        ),
      ),
    );
    assert.deepEqual(new Set(made.map(({ record }) => record.port)), new Set([wanted, wanted + 1]));
    for (const { gitDir, record } of made) assert.deepEqual(await readRecord(gitDir), record);
  });
});
