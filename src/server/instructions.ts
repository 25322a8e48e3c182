/** What a host shows its model about this server: at most 200 words each (a test counts them). */
const holding = `discern runs a project's gate and lands its work in git worktrees. This server holds one root: the checkout its tools act on when a call names no \`path\`. Every answer says which root it is about; read that line.

The way of working:
1. discern_start makes a worktree on a new branch and re-aims this server at it. Move your own working directory there too: the answer says how. Edit only there.
2. discern_prepare and discern_test while you work.
3. Commit (discern_commit does it where your sandbox may not). Then discern_done runs the whole gate and records a proof for that commit.
4. If the branch is behind, discern_update merges the trunk.
5. discern_accept lands the proved commit on the trunk, deletes the worktree and re-aims at the trunk's checkout. Only when the person wants it landed.

Leave \`path\` out unless you mean another checkout; it holds for that one call. If edits and results seem to disagree, call discern_status. A refusal's message says what to do next. Say how far you are in the files DISCERN_PHASE_FILE ("testing: the parser") and DISCERN_TODO_FILE ("- [ ] docs") name; unset, \`git rev-parse --git-path discern-phase\` (or \`discern-todo\`) prints it.`;

const looking = `discern runs a project's gate and lands its work in git worktrees. This server was started with --read-only: it shows how checkouts stand and changes nothing, so it has no tool that starts, gates, updates or lands. It holds one root: the checkout its tools act on when a call names no \`path\`. Every answer says which root it is about; read that line.

discern_fleet shows every project and worktree, and who needs a person; discern_peek looks into one, discern_projects lists their paths. discern_status shows a checkout's branch, changes, proof and all worktrees. discern_scopes shows which gates its changes call for. discern_explain says why a job runs or is reused, discern_verify what proves a commit. discern_doctor finds what is wrong. discern_agents lists agent clients, discern_sessions their sessions, discern_recollect what a person asked in one, discern_todo an agent’s to-dos. A command that a finding names as its remedy is for a person at a terminal.`;

const remote = `discern runs a project's gate and lands its work in git worktrees. This server is reached over HTTP and holds no root: every call about a project must name a \`path\` on the server's machine, and nothing is remembered between calls. Every answer says which root it is about; read that line.

The way of working:
1. discern_projects lists the checkouts there are.
2. discern_start, with the path of a project, makes a worktree on a new branch. Pass the path it answers with every later call about this work. Edit only there.
3. discern_prepare and discern_test while you work.
4. Commit. Then discern_done runs the whole gate and records a proof for that commit.
5. If the branch is behind, discern_update merges the trunk.
6. discern_accept lands the proved commit on the trunk and deletes the worktree. Only when the person wants it landed.

If edits and results seem to disagree, call discern_status. A refusal's message says what to do next.`;

const remoteLooking = `discern runs a project's gate and lands its work in git worktrees. This server was started with --read-only: it shows how checkouts stand and changes nothing, so it has no tool that starts, gates, updates or lands. It is reached over HTTP and holds no root: every call about a project must name a \`path\` on the server's machine.

discern_fleet shows every worktree and who needs a person, discern_peek one worktree, discern_projects their paths. discern_status shows one's branch, changes, proof and all worktrees. discern_scopes shows which gates its changes call for. discern_explain says why a job runs or is reused, discern_verify what proves a commit. discern_doctor finds what is wrong. discern_agents lists agent clients, discern_sessions their sessions, discern_recollect what a person asked in one, discern_todo an agent’s to-dos. A command that a finding names as its remedy is for a person at a terminal.`;

/** The instructions of a server, by whether it holds a root and whether it may only look. */
export const instructions = {
  holding: { all: holding, looking },
  remote: { all: remote, looking: remoteLooking },
};
