import assert from 'node:assert/strict';
import { configSchema, type JsonSchema } from '../../src/contract/config-schema.ts';
import { isTable } from '../../src/contract/schema-words.ts';
import { checkConfig } from '../../src/engine/config/index.ts';
import { valuesOf } from '../support/config-values.ts';
import { newest } from '../support/newest-config.ts';

const { config, problems, notes, tolerated } = checkConfig(newest, 'discern.toml');

/** Every key of a value, names of one's own as `*`. */
function keysIn(value: unknown, schema: JsonSchema | undefined, path: string[]): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path.join('.')];
  return Object.entries(value).flatMap(([name, one]) => {
    const objects = [schema ?? {}, ...(schema?.anyOf ?? [])].filter(isTable);
    const known = objects.map(({ properties }) => properties?.[name]).find((found) => found !== undefined);
    const other = objects
      .map((found) => found.additionalProperties)
      .find((found) => typeof found === 'object');
    const next = known ?? (typeof other === 'object' ? other : undefined);
    return keysIn(one, next, [...path, known ? name : '*']);
  });
}

/** Every key a schema offers, one form of a value after another. */
function offered(schema: JsonSchema, path: string[]): string[] {
  if (schema.deprecated || schema.not) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => offered(one, [...path, name]));
  const { additionalProperties: other } = schema;
  const named =
    typeof other === 'object' && Object.keys(other).length > 0 ? offered(other, [...path, '*']) : [];
  const forms = (schema.anyOf ?? []).flatMap((one) => offered(one, path));
  return own.length + named.length + forms.length > 0 ? [...own, ...named, ...forms] : [path.join('.')];
}

describe('a file in the newest published style', () => {
  it('has no problem and earns no note', () => {
    assert.deepEqual({ problems, notes }, { problems: [], notes: [] });
  });

  it('uses every key that the schema offers, so that the test before this one is of all of them', () => {
    const used = new Set(keysIn(valuesOf(newest), configSchema(), []));
    // A known job is a command or a table; which of them it is, is read by other tests.
    const simple = ['jobs.', 'standards.*.per', 'meta'];
    const missing = [...new Set(offered(configSchema(), []))].filter(
      (key) => !used.has(key) && !simple.some((one) => key.startsWith(one) && !key.startsWith('jobs.*')),
    );
    assert.deepEqual(missing, []);
  });

  const key = (table: string) =>
    tolerated.filter((one) => one.key.startsWith(`[${table}`)).map((one) => one.key);

  it('says which keys have no effect here, each with its line and what holds instead', () => {
    assert.deepEqual(
      tolerated.map((one) => one.key),
      [
        '[project].todo',
        '[project].agents',
        '[instructions]',
        '[skills].exclude',
        '[jobs.licences].provides',
        '[setup]',
        '[generated.reference].linguist_generated',
        '[worktree].track_ignored_drift',
        '[gate].stream_output',
        '[coupling]',
        '[meta]',
      ],
    );
    assert.deepEqual(key('gate'), ['[gate].stream_output']);
    const lines = newest.split('\n');
    for (const { line, key: shown, instead } of tolerated) {
      const last =
        shown
          .replace(/^\[(.*)\]$/, '$1')
          .split(/\]?\./)
          .at(-1) ?? '';
      assert.ok(lines[line - 1]?.includes(last), `${shown} on line ${line}`);
      assert.ok(instead.length > 10);
    }
  });

  const reads: [string, unknown, unknown][] = [
    [
      'jobs’ evidence',
      config?.jobs.find(({ name }) => name === 'test'),
      {
        name: 'test',
        stage: 'test',
        commands: ['npm test -- --coverage'],
        inputs: ['src/**', 'test/**'],
        needs: ['jobs.build'],
        artifacts: ['coverage/summary.json'],
        environment: ['TZ'],
        toolchain: ['package-lock.json'],
        timeout: 1200,
      },
    ],
    [
      'scopes’ evidence and preview',
      config?.scopes.find(({ name }) => name === 'native'),
      {
        name: 'native',
        paths: ['native/**'],
        neutral: false,
        previewable: true,
        preview: ['make -C native preview'],
        gate: ['make -C native check', 'make -C native lint'],
        inputs: ['native/**'],
        needs: ['jobs.build', 'standards.coverage'],
        artifacts: ['native/out.bin'],
        environment: ['CC'],
        toolchain: ['native/versions.lock'],
        timeout: 300,
      },
    ],
    [
      'a standard’s producer',
      config?.standards.find(({ name }) => name === 'coverage'),
      {
        name: 'coverage',
        metric: 'lines',
        direction: 'up',
        limit: 80,
        run: [],
        producer: 'jobs.test',
        extract: ["jq -r '.total' | sed 's/^/DISCERN_METRIC lines /'"],
        artifact: 'coverage/summary.json',
        inputs: ['src/**', 'test/**'],
        scale: 1,
        margin: 0.5,
        timeout: 30,
      },
    ],
    ['what is pre-authorized', config?.acceptance, { pre_authorized: ['map'] }],
    [
      'checkpoints',
      config?.checkpoints.map(({ name, mode }) => [name, mode]),
      [
        ['sensitive', 'advise'],
        ['playbook', 'stop'],
        ['map-focus', undefined],
      ],
    ],
    ['a resource that prune leaves', config?.worktree.resources.map(({ prunable }) => prunable), [false]],
    ['the port', config?.worktree.export_port, true],
  ];
  for (const [what, found, as] of reads) {
    it(`is read: ${what}`, () => assert.deepEqual(found, as));
  }
});

describe('what commands of a file need of one another', () => {
  const messages = (text: string) =>
    checkConfig(text, 'f').problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

  it('must be there, with the name that was meant', () => {
    assert.deepEqual(
      messages(
        '[jobs]\nbuild = "b"\nlint = { run = "l", needs = ["jobs.biuld"] }\n[standards.s]\ndirection = "up"\nlimit = 1\nproducer = "scopes.web.gate"\n[scopes.web]\npaths = ["w"]\n',
      ),
      [
        '3:21 [jobs.lint].needs names "jobs.biuld"; did you mean "jobs.build"?',
        '7:1 [standards.s].producer names "scopes.web.gate"; nothing that runs has that name',
      ],
    );
  });

  it('must not go round in a circle, however long', () => {
    assert.deepEqual(
      messages(
        '[jobs.a]\nstage = "check"\nrun = "a"\nneeds = ["jobs.b", "jobs.d"]\n[jobs.b]\nstage = "check"\nrun = "b"\nneeds = ["standards.c"]\n[standards.c]\ndirection = "up"\nlimit = 1\nproducer = "jobs.d"\n[jobs.d]\nstage = "test"\nrun = "d"\nneeds = ["jobs.b"]\n',
      ),
      ['16:1 these wait for one another, so none could run: jobs.d → jobs.b → standards.c → jobs.d'],
    );
    assert.match(
      messages('[jobs]\nlint = { run = "l", needs = ["jobs.lint"] }')[0] ?? '',
      /jobs\.lint → jobs\.lint$/,
    );
  });

  it('may be needed by several, on several ways', () => {
    const needs = (...names: string[]) => `needs = [${names.map((name) => `"jobs.${name}"`).join(', ')}]`;
    const table = (name: string, line = '') => `[jobs.${name}]\nstage = "check"\nrun = "r"\n${line}\n`;
    assert.deepEqual(
      messages(
        `${table('a', needs('b', 'c', 'b'))}${table('b', needs('d'))}${table('c', needs('b', 'd'))}${table('d')}`,
      ),
      [],
    );
  });

  it('includes the file an extract reads, which its maker must declare', () => {
    assert.deepEqual(
      messages(
        '[jobs]\ntest = { run = "t", artifacts = ["a.json"] }\n[standards.s]\ndirection = "up"\nlimit = 1\nproducer = "jobs.test"\nextract = "x"\nartifact = "b.json"\n',
      ),
      ['8:1 [standards.s].artifact is "b.json", which is none of the artifacts of jobs.test'],
    );
  });
});

describe('a policy of the owner', () => {
  const messages = (text: string) => checkConfig(text, 'f').problems.map(({ message }) => message);

  it('names scopes that are there', () => {
    assert.deepEqual(
      messages(
        '[scopes.docs]\npaths = ["d"]\n[acceptance]\npre_authorized = ["docs", "doc"]\n[checkpoints.c]\nscope = "dcs"\nquestion = "q"',
      ),
      [
        '[acceptance].pre_authorized names the scope "doc"; did you mean "docs"?',
        '[checkpoints.c].scope names the scope "dcs"; did you mean "docs"?',
      ],
    );
  });

  it('may have keys of a newer format in a checkpoint, and none in [acceptance]', () => {
    assert.deepEqual(messages('[checkpoints.c]\nquestion = "q"\nsoon = 1'), []);
    assert.match(messages('[acceptance]\npre_authorised = []')[0] ?? '', /did you mean "pre_authorized"/);
  });
});
