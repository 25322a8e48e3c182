import assert from 'node:assert/strict';
import { checkConfig } from '../../src/engine/config/index.ts';
import { tomlOf, valuesOf } from '../support/config-values.ts';
import { newest } from '../support/newest-config.ts';

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path of every value in a table that is no table itself. */
const leaves = (value: unknown, path: string[] = []): string[][] =>
  isTable(value) ? Object.entries(value).flatMap(([name, one]) => leaves(one, [...path, name])) : [path];

const sound = valuesOf(newest) as Table;

/** The file with another value at one path. */
function withValue(path: readonly string[], value: unknown): string {
  const copy = structuredClone(sound);
  let at = copy;
  for (const name of path.slice(0, -1)) at = at[name] as Table;
  at[path.at(-1) as string] = value;
  return tomlOf(copy);
}

const values = { 'a number': 3.5, 'a string': 'word', 'a list': ['x', 1], 'a table': { odd: 1 }, true: true };

/** Tables of the published format that mean nothing here: only their names are known. */
const foreign = /^(map|meta|instructions|skills|scripts|coupling|setup)\b/;

describe('A value of the wrong type', () => {
  for (const path of leaves(sound)) {
    const key = path.join('.');
    it(`of ${key} is told once, in words, by that key, and nothing else is blamed`, () => {
      const refused: string[] = [];
      for (const [type, value] of Object.entries(values)) {
        const { problems } = checkConfig(withValue(path, value), 'discern.toml');
        if (problems.length > 0) refused.push(type);
        for (const problem of problems) {
          assert.ok(problem.key === key || problem.key.startsWith(`${key}.`), `${type}: ${problem.message}`);
          assert.match(problem.message, / (must be|is|names|needs) |^unknown key /, type);
          assert.doesNotMatch(problem.message, /invalid|expected|pattern|undefined|\bZod/i, type);
        }
        assert.equal(new Set(problems.map((one) => one.key)).size, problems.length, type);
      }
      if (!foreign.test(key)) assert.ok(refused.length >= 2, `${key} takes all but ${refused.join(', ')}`);
    });
  }
});
