/** What an agent is taught of the loop, short: clients read it into the model whenever it fits. */
export const skill = `---
name: discern
description: Work in a git worktree that is gated and landed by discern. Use before changing code in a repository that has a discern.toml, and when its worktree or directory is gone.
---

# The loop

1. \`discern_status\`: where the server looks and where the work is. Do this first.
2. \`discern_start\` with a short title: makes a worktree on a branch of its own. **Move into \`data.path\`** and stay there; with no
   way to move, name files absolutely below it and pass \`path\`.
3. Edit and commit there. Where your sandbox cannot commit, \`discern_commit\` does.
4. \`discern_done\`: judges that very commit. Red: repair what it names, commit, again.
5. \`discern_accept\`: lands the commit that was proved.

Read the first line of every answer: it says which checkout it is about. A green about another checkout than yours proves nothing.

# When your directory is gone

\`accept\` and \`drop\` remove worktrees. Leave with your client's own means (Claude Code: \`ExitWorktree\` with \`action: "keep"\`), or
start commands with \`cd <main checkout> &&\`; \`discern_status\` names it. Where nothing helps, say so: the person opens a new session.
`;
