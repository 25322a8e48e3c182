/** What a host shows its model about this server: at most 200 words (a test counts them). */
export const instructions = `discern runs a project's gate and lands its work in git worktrees. This server holds one root: the checkout its tools act on when a call names no \`path\`. Every answer says which root it is about; read that line.

The way of working:
1. discern_start makes a worktree on a new branch and re-aims this server at it. Move your own working directory there too: the answer says how. Edit only there.
2. discern_prepare and discern_test while you work.
3. Commit. Then discern_done runs the whole gate and records a proof for that commit.
4. If the branch is behind, discern_update merges the trunk.
5. discern_accept lands the proved commit on the trunk, deletes the worktree and re-aims at the trunk's checkout. Only when the person wants it landed.

Leave \`path\` out unless you mean another checkout; it holds for that one call. If edits and results seem to disagree, call discern_status. A refusal's message says what to do next.`;
