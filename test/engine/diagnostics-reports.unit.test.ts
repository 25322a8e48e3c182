import assert from 'node:assert/strict';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findings, tempFolder } from './diagnostics-job.ts';

/** One finding, as GitHub's own converters and most linters can write it. */
const sarif = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'semgrep' } },
      results: [
        {
          ruleId: 'no-eval',
          level: 'error',
          message: { text: 'Eval.' },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: 'src/a.js' },
                region: { startLine: 3, startColumn: 7 },
              },
            },
          ],
        },
      ],
    },
  ],
});

const found = 'error semgrep src/a.js:3:7 [no-eval] Eval.';
const failed = 'error check The job check failed; it printed no error, but 1 warning.';

describe('a report that a job names with DISCERN_PROBLEMS', () => {
  let folder: string;
  let root: string;

  beforeEach(async () => {
    folder = await tempFolder();
    root = join(folder, 'app');
    await mkdir(join(root, 'src'), { recursive: true });
    await writeFile(join(root, 'src/a.js'), '');
    await writeFile(join(root, 'good.sarif'), sarif);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const refusal = (name: string, why: string) =>
    `warning check The report ${name}, which the job names in DISCERN_PROBLEMS, was not read: ${why}.`;

  it('is read, by a path relative to the root or an absolute one inside it, and once only', async () => {
    const printed = 'linting\nDISCERN_PROBLEMS good.sarif\nDISCERN_PROBLEMS {root}/good.sarif\ndone\n';
    assert.deepEqual(await findings(printed, root), [found]);
  });

  it('is read through a link that stays inside the root', async () => {
    await symlink('good.sarif', join(root, 'latest.sarif'));
    assert.deepEqual(await findings('DISCERN_PROBLEMS latest.sarif\n', root), [found]);
  });

  const refused: [what: string, name: string, why: string, make: () => Promise<unknown>][] = [
    ['is missing', 'gone.sarif', 'it does not exist', async () => undefined],
    [
      'lies outside the root',
      '../out.sarif',
      'it lies outside the root',
      () => writeFile(join(folder, 'out.sarif'), sarif),
    ],
    [
      'leads out of the root by a link',
      'link.sarif',
      'it lies outside the root',
      async () => {
        await writeFile(join(folder, 'out.sarif'), sarif);
        await symlink('../out.sarif', join(root, 'link.sarif'));
      },
    ],
    [
      'is too large',
      'large.sarif',
      'it is larger than 8 MiB',
      async () => {
        await writeFile(join(root, 'large.sarif'), sarif);
        await truncate(join(root, 'large.sarif'), 8 * 1024 * 1024 + 1);
      },
    ],
    ['is a folder', 'folder.sarif', 'it is not a file', () => mkdir(join(root, 'folder.sarif'))],
    ['is a device', '/dev/null', 'it lies outside the root', async () => undefined],
    [
      'is garbage',
      'garbage.sarif',
      'its kind is not known',
      () => writeFile(join(root, 'garbage.sarif'), Buffer.from([0, 255, 1, 254, 10, 123, 200])),
    ],
    [
      'is cut off',
      'half.sarif',
      'its kind is not known',
      () => writeFile(join(root, 'half.sarif'), sarif.slice(0, 200)),
    ],
    [
      'is of another format',
      'data.json',
      'its kind is not known',
      () => writeFile(join(root, 'data.json'), '{"name":"app","lines":[1,2]}'),
    ],
    ['is empty', 'empty.sarif', 'its kind is not known', () => writeFile(join(root, 'empty.sarif'), '')],
  ];

  for (const [what, name, why, make] of refused) {
    it(`is refused where it ${what}, and the others are read`, async () => {
      await make();
      const printed = `DISCERN_PROBLEMS ${name}\n`;
      assert.deepEqual(await findings(printed, root), [failed, refusal(name, why)]);
      assert.deepEqual(await findings(`${printed}DISCERN_PROBLEMS good.sarif\n`, root), [
        found,
        refusal(name, why),
      ]);
    });
  }

  it('is one of twenty at most', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `DISCERN_PROBLEMS none${n}.sarif\n`);
    const told = await findings(`DISCERN_PROBLEMS good.sarif\n${names.join('')}`, root);
    assert.equal(told[0], found);
    assert.equal(told.at(-1), refusal('2 more', 'a job may name 20'));
    assert.equal(told.length, 1 + 19 + 1);
  });
});
