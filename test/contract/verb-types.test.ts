import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

declare const DISCERN_HOME: string;

const traits = {
  begins: "'project'",
  runsCommands: "'may'",
  movesHeldRoot: 'false',
  callerElsewhere: "'ignore'",
  refreshesViews: 'true',
  gateView: "'nothing'",
  quick: 'false',
  cancelsAnywhere: 'false',
  report: "'common'",
  palette: 'null',
};

/** A descriptor of a new verb as source text, with these traits. */
const inspect = (own: Record<string, string>) => `  inspect: {
    title: 'Inspect',
    description: 'Inspect.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ path }),
    data: PruneData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: {
${Object.entries(own)
  .map(([name, value]) => `      ${name}: ${value},`)
  .join('\n')}
    },
  },
`;

describe('A new verb', () => {
  let home: string;

  // The product's own sources, to which a verb is added as a contributor would.
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'discern-types-'));
    await cp(join(DISCERN_HOME, 'src'), join(home, 'src'), { recursive: true });
    await symlink(join(DISCERN_HOME, 'node_modules'), join(home, 'node_modules'));
    const { compilerOptions } = JSON.parse(await readFile(join(DISCERN_HOME, 'tsconfig.json'), 'utf8'));
    const options = { ...compilerOptions, types: ['node'], incremental: true, tsBuildInfoFile: 'built' };
    await writeFile(
      join(home, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['src'], exclude: ['src/webview'] }),
    );
  });
  after(() => rm(home, { recursive: true, force: true }));

  /** What the compiler says of the product with this verb in it, as `file code`, each once. */
  async function rejections(descriptor: string): Promise<string[]> {
    const file = 'src/contract/verbs-upkeep.ts';
    const source = await readFile(join(DISCERN_HOME, file), 'utf8');
    const at = source.indexOf('  prune: {\n');
    assert.ok(at > 0);
    await writeFile(join(home, file), source.slice(0, at) + descriptor + source.slice(at));
    const output = await new Promise<string>((resolve) => {
      const tsc = join(DISCERN_HOME, 'node_modules/typescript/bin/tsc');
      execFile(process.execPath, [tsc, '--noEmit', '--pretty', 'false'], { cwd: home }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    const said = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)];
    return [...new Set(said.map(([, where, code]) => `${where} ${code}`))].sort();
  }

  it('compiles only with every trait: one that is missing is an error where the verb is described', async () => {
    const { runsCommands: _trust, ...unclassified } = traits;
    const said = await rejections(inspect(unclassified));
    assert.ok(said.includes('src/contract/verbs-upkeep.ts TS2741'), said.join('\n'));
  });

  it('that is classified lacks its core and its command line, and nothing else', async () => {
    assert.deepEqual(await rejections(inspect(traits)), [
      'src/cli/commands.ts TS2741',
      'src/engine/index.ts TS2741',
    ]);
  });

  it('that says it has a report and a place in the palette lacks these too', async () => {
    const own = { ...traits, report: "'own'", palette: "'Inspect'" };
    const said = (await rejections(inspect(own))).map((one) => one.split(' ')[0]);
    assert.deepEqual(
      [...new Set(said)],
      [
        'src/cli/commands.ts',
        'src/cli/report/index.ts',
        'src/engine/index.ts',
        'src/extension/extension.ts',
        'src/server/render.ts',
      ],
    );
  });
});
