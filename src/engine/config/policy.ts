import type { Checkpoint, Scope } from '../../contract/config.ts';
import { nearest } from '../words/nearest.ts';
import { tableName } from './problems.ts';
import { quoted } from './quoted.ts';
import type { Reader } from './reader.ts';

/** Finds the scopes that a policy of the owner names and the file does not have: it would hold for nothing, unnoticed. */
export function checkScopesOf(
  reader: Reader,
  scopes: readonly Scope[],
  acceptance: { pre_authorized: string[] } | undefined,
  checkpoints: readonly Checkpoint[],
): void {
  const declared = reader.tableNames('scopes');
  const known = scopes.map(({ name }) => name);
  const check = (path: readonly string[], key: string, name: string) => {
    const entry = reader.find(...path, key);
    // A scope that is there and wrong has its own problem.
    if (declared.includes(name) || !entry) return;
    const meant = nearest(name, known);
    const advice = meant ? `did you mean "${meant}"?` : `there are ${known.join(', ') || 'none'}`;
    reader.problem(
      entry.value.at,
      [...path, key],
      `${tableName(path)}.${key} names the scope ${quoted(name)}; ${advice}`,
    );
  };
  for (const name of acceptance?.pre_authorized ?? []) check(['acceptance'], 'pre_authorized', name);
  for (const { name, scope } of checkpoints) {
    if (scope !== undefined) check(['checkpoints', name], 'scope', scope);
  }
}
