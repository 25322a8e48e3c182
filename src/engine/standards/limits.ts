import type { Standard } from '../../contract/config.ts';
import type { Diagnostic } from '../../contract/envelope.ts';
import { messageOf } from '../../contract/values.ts';
import { Refusal } from '../call/refusal.ts';
import { decodeUtf8 } from '../config/decode.ts';
import { configFile, largestConfig } from '../config/index.ts';
import { parseTree, type TableNode } from '../config/tree.ts';
import { git } from '../git/core.ts';
import { type Repository, where } from '../repository/repository.ts';
import { isLooser } from './judge.ts';

/** A limit as the trunk's own `discern.toml` has it. */
export interface TrunkLimit {
  direction: 'up' | 'down';
  limit: number;
}

/** A standard that the branch holds to less than the trunk does. `limit` is absent where the branch has no such table. */
export interface Loosened {
  name: string;
  trunk: TrunkLimit;
  limit?: number;
}

/**
 * The limits of every standard in a text, whatever else is wrong with it: a trunk whose config is of an older shape must
 * not switch the comparison off. Throws what cannot be read as TOML at all.
 */
export function limitsIn(text: string): Map<string, TrunkLimit> {
  const tree = parseTree(text.replace(/^\uFEFF/, ''));
  if (!('root' in tree)) throw new Error(`line ${tree.at.line}: ${tree.message}`);
  const limits = new Map<string, TrunkLimit>();
  // What both spellings declare, the newer one does.
  for (const section of ['ratchets', 'standards']) {
    const table = tree.root.entries.get(section)?.value;
    if (table?.kind !== 'table') continue;
    for (const [name, { value }] of table.entries) {
      const found = value.kind === 'table' ? limitOf(value) : undefined;
      if (found) limits.set(name, found);
    }
  }
  return limits;
}

function limitOf(table: TableNode): TrunkLimit | undefined {
  const limit = table.entries.get('limit')?.value;
  const direction = table.entries.get('direction')?.value;
  if (limit?.kind !== 'number' || !Number.isFinite(Number(limit.value))) return undefined;
  // Older files may leave the direction out; it then was "up".
  const down = direction?.kind === 'string' && direction.value === 'down';
  return { direction: down ? 'down' : 'up', limit: Number(limit.value) };
}

/**
 * Reads the limits from the `discern.toml` the trunk has committed. None where the trunk has no such file; `undefined`
 * without a trunk. Refuses `config_error` when the file there cannot be read, since then nothing could be compared.
 */
export async function trunkLimits(repo: Repository): Promise<Map<string, TrunkLimit> | undefined> {
  if (!repo.trunk) return undefined;
  const { name, commit } = repo.trunk;
  const file = repo.prefix ? `${repo.prefix}/${configFile}` : configFile;
  const { stdout, code } = await git(repo.top, ['cat-file', 'blob', `${commit}:${file}`], { ok: [0, 128] });
  if (code !== 0) return new Map();
  const decoded = stdout.length > largestConfig ? undefined : decodeUtf8(stdout);
  try {
    if (decoded === undefined || 'problem' in decoded)
      throw new Error('it is no UTF-8 text of at most 1 MiB');
    return limitsIn(decoded.text);
  } catch (error) {
    const why = messageOf(error);
    throw new Refusal(
      'config_error',
      `${configFile} on ${name} cannot be read (${why}), so no limit can be compared with it: fix it on ${name} first.`,
      { data: where(repo) },
    );
  }
}

/** The standards that are held to less here than on the trunk: their limit is weaker, or their table is gone. */
export function findLoosened(
  standards: readonly Standard[],
  trunk: ReadonlyMap<string, TrunkLimit>,
): Loosened[] {
  const own = new Map(standards.map((standard) => [standard.name, standard]));
  const loosened: Loosened[] = [];
  for (const [name, limit] of trunk) {
    const here = own.get(name);
    if (!here) loosened.push({ name, trunk: limit });
    else if (isLooser(here, limit)) loosened.push({ name, trunk: limit, limit: here.limit });
  }
  return loosened;
}

const bound = ({ direction, limit }: TrunkLimit) => `${direction === 'up' ? 'floor' : 'ceiling'} ${limit}`;

/** What is loosened, in words. */
export function loosenedWords({ name, trunk, limit }: Loosened, trunkName: string): string {
  return limit === undefined
    ? `${name} (${bound(trunk)} on ${trunkName}) has no table here`
    : `${name} (${bound(trunk)} on ${trunkName}) is ${limit} here`;
}

/** What to do about it, for an agent: never to go around it. */
const remedy = (trunkName: string) =>
  `Restore what ${trunkName} has, or call update if ${trunkName} tightened it since; a limit is only ever loosened by its owner, in a commit on ${trunkName} itself.`;

export function loosenedMessage(loosened: readonly Loosened[], trunkName: string): string {
  const what = loosened.map((one) => loosenedWords(one, trunkName)).join('; ');
  return `Standards are looser than on ${trunkName}: ${what}. ${remedy(trunkName)}`;
}

export function loosenedDiagnostics(loosened: readonly Loosened[], trunkName: string): Diagnostic[] {
  return loosened.map((one) => ({
    tool: `standard:${one.name}`,
    severity: 'error',
    message: `The standard ${loosenedWords(one, trunkName)}. ${remedy(trunkName)}`,
    reproduce_cmd: `git show ${trunkName}:./${configFile}`,
    file: configFile,
    rule: 'standard_loosened',
  }));
}
