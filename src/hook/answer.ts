import { forget, tell, told } from '../engine/callers/told.ts';
import { isDirectory } from './directory.ts';
import { trespass, writtenBy } from './guard.ts';
import type { HookEvent } from './input.ts';
import { log } from './log.ts';
import { branchOf, type HookProject, projectAt } from './project.ts';
import { hookSettings } from './settings.ts';
import { denied, goOn, type Said, speaks, withContext } from './words.ts';

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
    case 'PostToolUse':
      return toldOfKept(event);
    default:
      return undefined;
  }
}

/**
 * Writes down where the session stands, and resolves with that. A move that the client declared holds until it declares another
 * one or its directory is gone: a shell's directory is no word against it.
 */
async function tellOf(env: NodeJS.ProcessEnv, event: HookEvent): Promise<string | undefined> {
  const { client, session, cwd, folder, event: name, tool, subagent } = event;
  // Cursor names no session to its servers, and its shell's directory is none of the session's.
  if (client === 'cursor') return folder ?? cwd;
  // Codex and Gemini CLI name the directory they were launched in, which says nothing that we do not know.
  if (client === 'codex' || client === 'gemini') return cwd;
  if (session !== undefined && name === 'SessionEnd') await forget(env, client, session);
  if (session === undefined || cwd === undefined || name === 'SessionEnd') return cwd;
  const enters = name === 'PostToolUse' && tool === 'EnterWorktree';
  const leaves = name === 'SessionStart' || (name === 'PostToolUse' && tool === 'ExitWorktree');
  const before = enters || leaves ? undefined : await told(env, client, session);
  if (before?.declared && (await isDirectory(before.cwd))) return subagent ? cwd : before.cwd;
  // A sub-agent may stand in a worktree of its own: only its calls to us are about that.
  if (subagent && !/discern/i.test(tool)) return cwd;
  const by = DISCERN_VERSION;
  await tell(env, { client, session, cwd, event: name, by, ...(enters && { declared: true }) });
  return cwd;
}

/** Denies what would certainly write into another checkout of the repository than the one the session stands in. */
async function guarded(event: HookEvent, standing: string): Promise<Said> {
  const written = await writtenBy(event.tool, event.arguments, event.cwd ?? standing);
  const project = written.length > 0 ? await projectAt(standing) : undefined;
  if (!project?.linked) return undefined;
  for (const { path, byShell } of written) {
    const found = await trespass(project, path);
    if (!found) continue;
    if (!(await hookSettings(project.root)).guard_writes) return undefined;
    const { other, instead } = found;
    const which = other.linked ? `${other.top}, another worktree` : `${other.top}, the main checkout`;
    const stands = `This session is in the worktree ${project.top}, and `;
    const judged = 'discern_done would not judge it, and accept would not land it';
    return denied(
      event.client,
      byShell
        ? `${stands}this command would change ${path === other.top ? which : `${path} in ${which}`} of the same repository: ${judged}. Work in ${project.top} instead; reading over there is fine. To work over there, leave this worktree first.`
        : `${stands}${path} lies in ${which} of the same repository: ${judged}. Write ${instead} instead. To work over there, leave this worktree first.`,
    );
  }
  return undefined;
}

async function greeted({ client }: HookEvent, standing: string): Promise<Said> {
  const project = speaks.has(client) ? await projectAt(standing) : undefined;
  return project && withContext(client, 'SessionStart', await greeting(project));
}

async function greeting(project: HookProject): Promise<string> {
  const branch = await branchOf(project);
  const on = branch === undefined ? 'on no branch' : `on branch ${JSON.stringify(branch)}`;
  return project.linked
    ? `discern: this session is in the linked worktree ${project.top}, ${on}. Work and commit here, then discern_done judges this commit and discern_accept lands it.`
    : `discern: this session is in the main checkout ${project.top}, ${on}. To change code, call discern_status, then discern_start, and work in its data.path; commit there, then discern_done and discern_accept.`;
}

/** Asks once, where the owner wants it: work is committed in a linked worktree, and nothing has judged that commit. */
async function askedForProof({ client, asked }: HookEvent, standing: string): Promise<Said> {
  if (asked || !speaks.has(client)) return undefined;
  const project = await projectAt(standing);
  if (!project?.linked || !(await hookSettings(project.root)).ask_for_proof) return undefined;
  const { run } = await import('../engine/index.ts');
  const { data, ok, message } = await run('status', project.root, {}, looking);
  if (!ok || !data) throw new Error(`status: ${message}`);
  if (!data.ahead || data.proof?.state === 'valid') return undefined;
  return goOn(
    client,
    `${data.ahead} ${data.ahead === 1 ? 'commit' : 'commits'} in ${project.top} and no proof of HEAD. Call discern_done there, or say in your answer that the work is not proved.`,
  );
}

/** The client says only that a worktree was kept; why, it asks nobody. */
async function toldOfKept({ client, tool, arguments: given, worktree }: HookEvent): Promise<Said> {
  if (client !== 'claude' || tool !== 'ExitWorktree' || given.action !== 'remove' || worktree === undefined) {
    return undefined;
  }
  if (!(await isDirectory(worktree))) return undefined;
  const { whyKept } = await import('./worktree.ts');
  const why = await whyKept(worktree, looking.signal);
  if (why === undefined) return undefined;
  return withContext(client, 'PostToolUse', `discern: ${why}`);
}

/** A hook only looks: it repairs nothing in passing. */
const looking = {
  signal: new AbortController().signal,
  emit: () => undefined,
  client: 'unknown',
  lookOnly: true,
} as const;
