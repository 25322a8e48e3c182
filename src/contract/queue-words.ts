import type { QueueEntry } from './verbs-queue.ts';

/** An entry of the queue in a line. */
export function entryWords({
  entry,
  place,
  state,
  worktree,
  branch,
  commit,
  since,
  ...more
}: QueueEntry): string {
  const { for: client, reason, landed_commit: landed } = more;
  const which = `${entry} ${branch ?? worktree} at ${commit.slice(0, 10)}`;
  const at = place === undefined ? '' : `${place}. `;
  const how = landed === undefined ? state : `landed as ${landed.slice(0, 10)}`;
  return `${at}${which}: ${how}, since ${since}, for ${client}${reason === undefined ? '' : ` (${reason})`}`;
}
