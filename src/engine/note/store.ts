import { fields, git, pathText } from '../git/core.ts';
import { listRefs, looseRef } from '../git/refs.ts';

/** Where notes of ours are. */
export const NOTES_REF = 'refs/notes/discern';
/** Where those of other clones come to, by `proof_notes_mode = "fetch"`. */
const FETCHED = 'refs/discern/remotes/';

/** The most bytes a note may have to be read. */
const LARGEST = 1024 * 1024;
/** How often another writer may come between. */
const MOST_TRIES = 5;

/** The paths a note of an object may lie at: git spreads them over directories once there are many (git-notes(1)). */
const pathsOf = (id: string) => [
  id,
  `${id.slice(0, 2)}/${id.slice(2)}`,
  `${id.slice(0, 2)}/${id.slice(2, 4)}/${id.slice(4)}`,
];

/**
 * Notes one text on several objects, in place of what our ref had there. Each write stands on the one before it, so that none of
 * two at once is lost: git moves the ref only forward from where it was. Rejects with git's own error where that fails.
 */
export async function writeNote(
  cwd: string,
  commonDir: string,
  objects: readonly string[],
  text: string,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = (await looseRef(commonDir, NOTES_REF)) ?? (await listRefs(cwd, [NOTES_REF]))[0]?.commit;
    const message = 'Notes added by a landing of discern\n';
    const stream = [
      `blob\nmark :1\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      `commit ${NOTES_REF}\ncommitter discern <> ${Math.floor(Date.now() / 1000)} +0000\n`,
      `data ${message.length}\n${message}`,
      ...(before ? [`from ${before}\n`] : []),
      ...objects.flatMap((id) => [...pathsOf(id).map((path) => `D ${path}\n`), `M 100644 :1 ${id}\n`]),
      'done\n',
    ].join('');
    const { code, stderr } = await git(cwd, ['fast-import', '--quiet', '--done'], {
      stdin: stream,
      ok: [0, 1, 128],
    });
    if (code === 0) return;
    if (tries >= MOST_TRIES) throw new Error(stderr.trim().split('\n')[0] || 'git fast-import failed');
  }
}

export interface Note {
  ref: string;
  text: string;
}

/** Every note on one of these objects, ours first, then those that were fetched; none that is larger than a note of ours is. */
export async function notesOn(cwd: string, objects: readonly string[]): Promise<Note[]> {
  const refs = (await listRefs(cwd, [NOTES_REF, FETCHED]))
    .map(({ name }) => name)
    .filter((name) => name === NOTES_REF || /^refs\/discern\/remotes\/[^/]+\/notes$/.test(name))
    .sort((a, b) => Number(b === NOTES_REF) - Number(a === NOTES_REF));
  const notes: Note[] = [];
  const seen = new Set<string>();
  for (const ref of refs) {
    const { stdout } = await git(
      cwd,
      ['--literal-pathspecs', 'ls-tree', '-l', '-z', '--full-tree', ref, '--', ...objects.flatMap(pathsOf)],
      { ok: [0, 128] },
    );
    for (const line of fields(stdout).map(pathText)) {
      const [, id = '', size = ''] = /^100644 blob ([0-9a-f]+) +(\d+)\t/.exec(line) ?? [];
      if (id === '' || Number(size) > LARGEST || seen.has(`${ref} ${id}`)) continue;
      seen.add(`${ref} ${id}`);
      const { stdout: text } = await git(cwd, ['cat-file', 'blob', id]);
      notes.push({ ref, text: text.toString('utf8') });
    }
  }
  return notes;
}

/** Whether a note of ours is on a commit. */
export const isNoted = async (cwd: string, commit: string): Promise<boolean> =>
  (await notesOn(cwd, [commit])).some(({ ref }) => ref === NOTES_REF);

/** What `proof_notes_mode = "fetch"` has git fetch: a remote without such notes is no error (git-fetch(1), "refspec"). */
export const fetchMapping = (remote: string) => `+${NOTES_REF}*:${FETCHED}${remote}/notes*`;
