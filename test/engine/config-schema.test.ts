import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { configSchema, type JsonSchema } from '../../src/contract/config-schema.ts';
import { checkConfig } from '../../src/engine/config/index.ts';
import { tomlOf, valuesOf } from '../support/config-values.ts';
import { newest } from '../support/newest-config.ts';
import { published } from '../support/published-config.ts';

declare const DISCERN_HOME: string;

/** What the product ships. */
const shipped: JsonSchema = JSON.parse(readFileSync(join(DISCERN_HOME, 'dist/discern.schema.json'), 'utf8'));
const accepts = new Ajv({ strict: true, strictTypes: false, allErrors: false }).compile(shipped);

/** What only the reader can see: several tables at once, or a reference that is resolved. */
const beyondSchemas =
  /is a job of \[capabilities\] and of \[checks\]|empty once its references are resolved|names the scope|\.(?:needs|producer) names|wait for one another|is none of the artifacts/;

/** Whether the reader takes a text, apart from what no schema can say. */
function reads(text: string): boolean {
  return checkConfig(text, 'discern.toml').problems.every(({ message }) => beyondSchemas.test(message));
}

function assertAgree(value: Record<string, unknown>): boolean {
  const text = tomlOf(value);
  const byReader = reads(text);
  assert.equal(accepts(value), byReader, `${text}\n${JSON.stringify(accepts.errors)}`);
  return byReader;
}

describe('The JSON Schema of discern.toml', () => {
  it('is shipped as the contract has it now', () => {
    assert.deepEqual(shipped, JSON.parse(JSON.stringify(configSchema())));
    assert.equal(shipped.$schema, 'http://json-schema.org/draft-07/schema#');
  });

  it('describes every table and every key', () => {
    const silent: string[] = [];
    const walk = (schema: JsonSchema, path: string) => {
      for (const [key, one] of Object.entries(schema.properties ?? {})) {
        if ((one.description ?? '').length < 10) silent.push(`${path}.${key}`);
        walk(one, `${path}.${key}`);
      }
      if (
        typeof schema.additionalProperties === 'object' &&
        Object.keys(schema.additionalProperties).length
      ) {
        if (!schema.additionalProperties.description) silent.push(`${path}.<name>`);
        walk(schema.additionalProperties, `${path}.<name>`);
      }
      for (const one of schema.anyOf ?? []) walk(one, path);
    };
    walk(shipped, '');
    assert.deepEqual(silent, []);
  });

  for (const [which, text] of Object.entries({ newest, older: published })) {
    it(`accepts a file in the ${which} published style, with the tables of other tools in it`, () => {
      assert.equal(accepts(valuesOf(text)), true, JSON.stringify(accepts.errors));
    });
  }

  it('accepts our own discern.toml, and those of the examples', () => {
    const examples = readdirSync(join(DISCERN_HOME, 'examples'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join('examples', name, 'discern.toml'));
    assert.ok(examples.length >= 3);
    for (const file of ['discern.toml', ...examples]) {
      const text = readFileSync(join(DISCERN_HOME, file), 'utf8');
      assert.equal(accepts(valuesOf(text)), true, `${file}: ${JSON.stringify(accepts.errors)}`);
    }
  });

  const wrong: [string, string][] = [
    ['a wrong type', '[gate]\ntimeout = "long"'],
    ['an unknown key', '[gate]\nfial_fast = true'],
    ['a table that is none', 'jobs = "npm test"'],
    ['an unknown job that is no table', '[jobs]\nlnt = "eslint"'],
    ['a custom job without its stage', '[jobs.prose]\nrun = "vale"'],
    ['a stage for a known job', '[jobs]\ntest = { run = "t", stage = "test" }'],
    ['a name with a dot in it', '[jobs."a.b"]\nstage = "fix"\nrun = "x"'],
    ['a blank command', '[jobs]\ntest = "  "'],
    ['an empty list of commands', '[jobs]\ntest = []'],
    ['a NUL character', '[project]\nname = "a\\u0000"'],
    [
      'two extents at once',
      '[standards.x]\ndirection = "up"\nlimit = 1\nrun = "r"\nper = { files = "a", lines = "b" }',
    ],
    ['no extent at all', '[standards.x]\ndirection = "up"\nlimit = 1\nrun = "r"\nper = {}'],
    ['a time below zero', '[gate]\ntimeout = -1'],
    ['half a retry', '[worktree.resources.db]\nretries = 0.5'],
    ['a standard without a source', '[standards.x]\ndirection = "up"\nlimit = 1'],
    [
      'a standard with two sources',
      '[jobs]\ntest = "t"\n[standards.x]\ndirection = "up"\nlimit = 1\nrun = "r"\nproducer = "jobs.test"',
    ],
    [
      'an artifact that nothing reads',
      '[standards.x]\ndirection = "up"\nlimit = 1\nrun = "r"\nartifacts = ["a"]\nartifact = "a"',
    ],
    ['a need that names no table', '[jobs]\nlint = { run = "l", needs = ["build"] }'],
    ['an artifact outside the project', '[jobs]\nlint = { run = "l", artifacts = ["../a"] }'],
    ['an artifact that is a repository’s', '[jobs]\nlint = { run = "l", artifacts = ["./.git"] }'],
    [
      'an artifact in a repository',
      '[jobs]\nlint = { run = "l", artifacts = ["sub/.Git/hooks/pre-commit"] }',
    ],
    ['a variable that is none', '[jobs]\nlint = { run = "l", environment = ["A=b"] }'],
    ['inputs that are none', '[jobs]\nlint = { run = "l", inputs = [] }'],
    ['an unknown mode of a checkpoint', '[checkpoints.x]\nmode = "stopp"\nquestion = "q"'],
    ['an endless limit', '[standards.x]\ndirection = "up"\nlimit = inf\nrun = "r"'],
  ];
  for (const [what, text] of wrong) {
    it(`rejects ${what}, as the reader does`, () => {
      assert.equal(reads(text), false);
      assert.equal(accepts(valuesOf(text)), false);
    });
  }
});

describe('The JSON Schema and the reader', function () {
  this.timeout(60_000);

  const mapDir = ['$', '{map.dir}'].join('');
  const scalars = fc.constantFrom<unknown>(
    ...['', ' ', 'x', 'up', 'fix', 'npm test', 'a\u0000', '\u00a0', '\ud7ff', '\u2028', mapDir],
    ...[0, 1, -1, 1.5, 600, 2 ** 53, 1e300, true, false],
  );
  const small = fc.oneof(
    scalars,
    fc.array(scalars, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('run', 'stage', 'files', 'x'), scalars, { maxKeys: 2 }),
    fc.array(fc.dictionary(fc.constantFrom('run', 'paths'), scalars, { maxKeys: 2 }), { maxLength: 2 }),
  );
  const words = keysOf(shipped);
  const keys = fc.constantFrom(...words, 'a b', '', 'x', 'é', '__proto__', 'constructor', 'lnt');
  const example = valuesOf(
    `${newest}\n[capabilities]\nlint = "l"\n[checks.old]\nrun = "c"\n[ratchets.r]\ndirection = "up"\nlimit = 1\nrun = "r"\n`,
  );

  it('agree on a sound file with a few things wrong in it', () => {
    const verdicts = new Map<boolean, number>();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('set', 'delete', 'add'), keys, small), {
          minLength: 1,
          maxLength: 3,
        }),
        (changes) => {
          const value = structuredClone(example) as Record<string, unknown>;
          for (const [where, how, key, what] of changes) change(value, where, how, key, what);
          const verdict = assertAgree(value);
          verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        },
      ),
      { numRuns: 800 },
    );
    for (const verdict of [true, false]) assert.ok((verdicts.get(verdict) ?? 0) > 100, `${verdict} is rare`);
  });

  it('agree on tables of known keys with any value', () => {
    const tables = fc.dictionary(keys, fc.oneof(small, fc.dictionary(keys, small, { maxKeys: 3 })), {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(fc.dictionary(keys, tables, { maxKeys: 3 }), (value) => void assertAgree(value)),
      {
        numRuns: 2000,
      },
    );
  });
});

/** Every key a schema knows. */
function keysOf(schema: JsonSchema): string[] {
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [...new Set([...Object.keys(schema.properties ?? {}), ...below.flatMap(keysOf)])];
}

/** Changes one of all the tables below a value: sets or deletes one of its keys, or adds one. */
function change(
  root: Record<string, unknown>,
  where: number,
  how: 'set' | 'delete' | 'add',
  key: string,
  what: unknown,
): void {
  const tables: Record<string, unknown>[] = [];
  const gather = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) tables.push(value as Record<string, unknown>);
    for (const one of Object.values(value)) gather(one);
  };
  gather(root);
  const table = tables[where % tables.length] ?? root;
  const names = Object.keys(table);
  const name = how === 'add' || names.length === 0 ? key : (names[where % names.length] ?? key);
  if (how === 'delete') delete table[name];
  else
    Object.defineProperty(table, name, { value: what, enumerable: true, configurable: true, writable: true });
}
