import { forget, tell, told } from '../engine/callers/told.ts';
import { isDirectory } from './directory.ts';
import { trespass, writtenBy } from './guard.ts';
import type { Client, HookEvent } from './input.ts';
import { log } from './log.ts';
import { branchOf, type HookProject, hookSettings, projectAt } from './project.ts';

/** What a hook prints, if anything: no answer lets the client go on as it would. */
export type Said = Record<string, unknown> | undefined;

/** Clients that take a hook's answer in Claude Code's words. */
const claudeShaped: ReadonlySet<Client> = new Set<Client>(['claude', 'codex', 'vscode']);

/** Tells our servers where the session stands, and answers the client's question. */
export async function answerTo(env: NodeJS.ProcessEnv, event: HookEvent): Promise<Said> {
  const standing = await tellOf(env, event).catch((error: unknown) => {
    // A word that cannot be kept is no reason to let a write pass.
    log(env, `${event.client} ${event.event}`, error);
    return event.cwd;
  });
  if (standing === undefined) return undefined;
  switch (event.event) {
    case 'PreToolUse':
      return guarded(event, standing);
    case 'SessionStart':
      return greeted(event, standing);
    case 'Stop':
      return askedForProof(event, standing);
    default:
      return undefined;
  }
}

/**
 * Writes down where the session stands, and resolves with that. A move that the client declared holds until it declares another
 * one or its directory is gone: a shell's directory is no word against it.
 */
async function tellOf(env: NodeJS.ProcessEnv, event: HookEvent): Promise<string | undefined> {
  const { client, session, cwd, event: name, tool, subagent } = event;
  if (session !== undefined && name === 'SessionEnd') await forget(env, client, session);
  if (session === undefined || cwd === undefined || name === 'SessionEnd') return cwd;
  const enters = name === 'PostToolUse' && tool === 'EnterWorktree';
  const leaves = name === 'SessionStart' || (name === 'PostToolUse' && tool === 'ExitWorktree');
  const before = enters || leaves ? undefined : await told(env, client, session);
  if (before?.declared && (await isDirectory(before.cwd))) return subagent ? cwd : before.cwd;
  // A sub-agent may stand in a worktree of its own: only its calls to us are about that.
  if (subagent && !/discern/i.test(tool)) return cwd;
  await tell(env, { client, session, cwd, event: name, ...(enters && { declared: true }) });
  return cwd;
}

async function guarded(event: HookEvent, standing: string): Promise<Said> {
  const file = writtenBy(event.tool, event.arguments, event.cwd ?? standing);
  const project = file === undefined ? undefined : await projectAt(standing);
  const found = file !== undefined && project ? await trespass(project, file) : undefined;
  if (!found || !project || !(await hookSettings(project.root)).guard_writes) return undefined;
  const { other, instead } = found;
  const which = other.linked ? `${other.top}, another worktree` : `${other.top}, the main checkout`;
  return denied(
    event.client,
    `This session stands in the worktree ${project.top}, and ${file} lies in ${which} of the same repository: discern_done would not judge it, and accept would not land it. Write ${instead} instead. To work over there, leave this worktree first.`,
  );
}

function denied(client: Client, reason: string): Said {
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  if (claudeShaped.has(client)) {
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
  }
  return client === 'copilot' ? decision : undefined;
}

async function greeted({ client }: HookEvent, standing: string): Promise<Said> {
  const project = claudeShaped.has(client) ? await projectAt(standing) : undefined;
  if (!project) return undefined;
  return {
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: await greeting(project) },
  };
}

async function greeting(project: HookProject): Promise<string> {
  const branch = await branchOf(project);
  const on = branch === undefined ? 'on no branch' : `on branch ${JSON.stringify(branch)}`;
  return project.linked
    ? `discern: this session stands in the linked worktree ${project.top}, ${on}. Work and commit here, then discern_done judges this commit and discern_accept lands it.`
    : `discern: this session stands in the main checkout ${project.top}, ${on}. To change code, call discern_status, then discern_start, and work in its data.path; commit there, then discern_done and discern_accept.`;
}

/** Asks once, where the owner wants it: work is committed in a linked worktree, and nothing has judged that commit. */
async function askedForProof({ client, asked }: HookEvent, standing: string): Promise<Said> {
  if (asked || !claudeShaped.has(client)) return undefined;
  const project = await projectAt(standing);
  if (!project?.linked || !(await hookSettings(project.root)).ask_for_proof) return undefined;
  const { run } = await import('../engine/index.ts');
  const { data, ok, message } = await run('status', project.root, {}, looking);
  if (!ok || !data) throw new Error(`status: ${message}`);
  if (!data.ahead || data.proof?.state === 'valid') return undefined;
  return {
    decision: 'block',
    reason: `${data.ahead} ${data.ahead === 1 ? 'commit' : 'commits'} in ${project.top} and no proof of HEAD. Call discern_done there, or say in your answer that the work is not proved.`,
  };
}

/** A hook only looks: it repairs nothing in passing. */
const looking = {
  signal: new AbortController().signal,
  emit: () => undefined,
  client: 'unknown',
  lookOnly: true,
} as const;
