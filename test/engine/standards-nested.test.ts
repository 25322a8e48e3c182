import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const size = (limit: number) =>
  `[standards.size]\ndirection = "down"\nlimit = ${limit}\nper = { lines = "*.txt" }\nrun = "echo DISCERN_METRIC size 6"\n`;
const generated = '[generated.all]\npaths = ["gen/**"]\nrun = "mkdir -p gen; cat *.txt > gen/all"\n';

describe('Standards and generated files of a project below the git top', () => {
  let project: Project;
  let inner: string;
  before(async () => {
    project = await make({
      config: '[standards.outer]\ndirection = "up"\nlimit = 1\nrun = "false"\n',
      files: {
        'pkg/discern.toml': size(9) + generated,
        'pkg/a.txt': '1\n2\n',
        'pkg/gen/all': '1\n2\n',
        'b.txt': '3\n',
      },
    });
    const { path } = succeeded(await verb('start', join(project.root, 'pkg')));
    inner = path;
  });
  after(removeAll);

  it('are its own: its file, its paths, its trunk’s limits', async () => {
    const data = succeeded(await verb('done', inner));
    assert.deepEqual(
      data.standards?.map(({ name, value, trunk_limit }) => [name, value, trunk_limit]),
      [['size', 3, 9]],
    );
    assert.equal(data.proof?.state, 'valid');
    await project.write({ 'discern.toml': size(10) + generated }, inner);
    refusedWith(await verb('done', inner), 'standard_loosened', /size \(ceiling 9 on main\) is 10 here/);
    await git(inner, 'checkout', '--quiet', '.');
  });

  it('are pinned there', async () => {
    const data = succeeded(await verb('standards', inner, { pin: true }));
    assert.deepEqual(data.pinned, [{ name: 'size', from: 9, to: 3 }]);
    assert.equal(data.proof?.state, 'valid');
    assert.equal(await readFile(join(inner, 'discern.toml'), 'utf8'), size(3) + generated);
    assert.equal(await git(inner, 'diff', '--name-only', 'HEAD~1', 'HEAD'), 'pkg/discern.toml');
  });

  it('are made anew on update', async () => {
    await project.commit({ 'pkg/b.txt': '5\n', 'pkg/gen/all': '1\n2\n5\n' }, dirname(inner));
    await project.commit({ 'pkg/c.txt': '7\n', 'pkg/gen/all': '1\n2\n7\n' });
    const data = succeeded(await verb('update', inner));
    assert.deepEqual(data.regenerated, ['pkg/gen/all']);
    assert.equal(await readFile(join(inner, 'gen/all'), 'utf8'), '1\n2\n5\n7\n');
    assert.equal(await git(inner, 'status', '--porcelain'), '');
  });
});
