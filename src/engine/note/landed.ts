import { basename } from 'node:path';
import { proofOf } from '../gate/proof.ts';
import { git, gitLine } from '../git/core.ts';
import type { Repository } from '../repository/repository.ts';
import { sealedIn, signedBytes } from './envelope.ts';
import { type Settings, sign, signingSettings } from './sign.ts';
import { statementOf } from './statement.ts';
import { fetchMapping, NOTES_REF, writeNote } from './store.ts';

/**
 * Notes the proof of a commit that has landed, on the commit and on its tree, signed where git has a key to sign with. Publishes
 * nothing. Who is in a hurry has git's settings on signing read before. Answers what a person should know: a landing stands whether
 * or not this worked, and so nothing here rejects.
 */
export async function noteLanding(
  repo: Pick<Repository, 'commonDir' | 'prefix' | 'config'>,
  cwd: string,
  commit: string,
  reading: Promise<Settings> = signingSettings(cwd),
): Promise<string[]> {
  try {
    const settings = await reading;
    const proof = await proofOf(repo.commonDir, commit, repo.prefix);
    if (!proof) return [`No note in ${NOTES_REF}: there is no record of what was proved.`];
    const payload = Buffer.from(JSON.stringify(statementOf(proof, repo.prefix || basename(cwd))));
    const signature = await sign(settings, signedBytes(payload));
    const problem = signature && 'why' in signature ? signature.why : undefined;
    const signatures = signature && 'sig' in signature ? [signature] : [];
    await writeNote(cwd, repo.commonDir, [commit, proof.tree], sealedIn(payload, signatures));
    if (repo.config.config.repository.proof_notes_mode === 'fetch') await fetchNotes(cwd);
    return problem === undefined ? [] : [`The note in ${NOTES_REF} is unsigned: ${problem}.`];
  } catch (error) {
    // Told, whatever it is: the trunk has moved, and nothing of that depends on the note.
    return [`No note was written in ${NOTES_REF}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Has `git fetch` bring the notes of other clones too, from each remote, once. No network is used. */
async function fetchNotes(cwd: string): Promise<void> {
  const remotes = (await gitLine(cwd, ['remote'])).split('\n').filter((name) => /^[\w.-]+$/.test(name));
  for (const remote of remotes) {
    const key = `remote.${remote}.fetch`;
    const { stdout } = await git(cwd, ['config', '--get-all', key], { ok: [0, 1] });
    if (stdout.toString('utf8').split('\n').includes(fetchMapping(remote))) continue;
    await git(cwd, ['config', '--add', key, fetchMapping(remote)]);
  }
}
