import { createHash } from 'node:crypto';
import type { Config } from '../../contract/config.ts';
import { decodeUtf8 } from '../config/decode.ts';
import { checkConfig, configFile, largestConfig } from '../config/index.ts';
import { git } from '../git/core.ts';
import { treeOf } from '../git/refs.ts';
import { missingOf } from './complete.ts';
import { opened } from './envelope.ts';
import { checkSignatures, type Signed } from './sign.ts';
import { type Statement, statementFor } from './statement.ts';
import { notesOn } from './store.ts';

/** What the notes of one commit come to. */
export type Checked =
  | { found: 'none'; tree: string; reasons: string[] }
  | {
      found: 'valid';
      tree: string;
      ref: string;
      statement: Statement;
      signed: Exclude<Signed, { state: 'bad' }>;
    };

const strength = { good: 0, unknown_key: 1, unsigned: 2 } as const;

/**
 * Looks for a note that proves a commit's tree, on the commit or on the tree itself, and checks what it says: of this very tree,
 * project and discern.toml, with everything a gate runs passed, under signatures that are right. The best signed one counts.
 */
export async function checkNotes(cwd: string, commit: string, project: string): Promise<Checked> {
  const tree = await treeOf(cwd, commit);
  const reasons: string[] = [];
  const config = await configOf(cwd, commit, project);
  if ('why' in config) return { found: 'none', tree, reasons: [config.why] };
  let best: Checked | undefined;
  for (const { ref, text } of await notesOn(cwd, [commit, tree])) {
    const envelope = opened(text);
    const read = envelope
      ? statementFor(envelope.content, { tree, config: config.digest, project })
      : { why: 'it is no signed envelope of a statement' };
    if (!envelope || 'why' in read) {
      if ('why' in read) reasons.push(`a note in ${ref} counts for nothing: ${read.why}`);
      continue;
    }
    const missing = await missingOf(cwd, config.config, { tree, project }, read.statement);
    if (missing !== undefined) {
      reasons.push(`a note in ${ref} counts for nothing: ${missing}`);
      continue;
    }
    const signed = await checkSignatures(cwd, envelope.signed, envelope.signatures);
    if (signed.state === 'bad') {
      reasons.push(`a note in ${ref} counts for nothing: its signature is wrong (${signed.why})`);
      continue;
    }
    if (best?.found === 'valid' && strength[best.signed.state] <= strength[signed.state]) continue;
    best = { found: 'valid', tree, ref, statement: read.statement, signed };
  }
  return best ?? { found: 'none', tree, reasons: [...new Set(reasons)] };
}

/** A commit's discern.toml, and its digest. */
async function configOf(
  cwd: string,
  commit: string,
  project: string,
): Promise<{ digest: string; config: Config } | { why: string }> {
  const path = project ? `${project}/${configFile}` : configFile;
  const { stdout, code } = await git(cwd, ['cat-file', 'blob', `${commit}:${path}`], { ok: [0, 128] });
  if (code !== 0) return { why: `the commit has no ${path}` };
  const decoded = stdout.length > largestConfig ? undefined : decodeUtf8(stdout);
  const checked = decoded && 'text' in decoded ? checkConfig(decoded.text, configFile).config : undefined;
  if (!checked) return { why: `the ${path} of the commit cannot be read` };
  const digest = createHash('sha256').update(stdout).digest('hex');
  return { digest, config: checked };
}

/** Who signed a note, in words that follow a comma. */
export function signedWords(signed: Exclude<Signed, { state: 'bad' }>): string {
  if (signed.state === 'unsigned') return 'unsigned: anybody who can push notes can have written it';
  if (signed.state === 'good') return `signed by ${signed.signer}`;
  return `signed with a key nobody here vouches for (${signed.signer})`;
}
