import { randomUUID } from 'node:crypto';
import type { Result } from '../../contract/answers.ts';
import { type Launchable, launchable } from '../../contract/launchable.ts';
import type { Args } from '../../contract/verbs.ts';
import { commandLine } from '../agents/command-lines.ts';
import { programOfAgent } from '../agents/installed.ts';
import { openTerminal, terminalOf, whileAlone } from '../agents/terminal.ts';
import { attachCommand } from '../agents/tmux.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { type NamedWorktree, whereNamed, worktreeNamed, worktreeThere } from '../fleet/named-worktree.ts';
import { openRepository } from '../repository/repository.ts';
import { sessionNamed } from '../sessions/named.ts';
import { ownVariables } from '../worktree/job-env.ts';
import { start } from './start.ts';

/** The most characters of a prompt: systems hand a program no word much longer. */
const LONGEST_PROMPT = 64 * 1024;

/**
 * Starts an agent client in a worktree, given or new, in a terminal of its own that goes on without us. Refuses `not_in_worktree` for
 * the main checkout, `busy` where one it launched still runs, `unavailable` without the client or tmux or when the client ends at
 * once, `path_required` for a new worktree of no project, and what `start` refuses.
 */
export async function launch(root: string, args: Args<'launch'>, ctx: Context): Promise<Result<'launch'>> {
  const { client, prompt, model } = args;
  requirePlain({ prompt, model });
  const given = args.worktree === undefined ? undefined : await worktreeThere(root, args.worktree, ctx);
  if (given) requireLinked(given);
  const program = requireInstalled(client);
  const resume = args.resume === undefined ? undefined : await resumed(client, args.resume, ctx);
  const line = commandLine(client, { prompt, model, resume, session: randomUUID() });
  const argv = [program, ...line.args];
  if (given === undefined && args.dry_run === true) return previewOfBoth(root, args, ctx);
  const worktree = given ?? (await made(root, args, ctx));
  const where = {
    ...whereNamed(worktree),
    client,
    ...(line.session !== undefined && { session: line.session }),
  };
  const env = await ownVariables(await openRepository(worktree.root));
  if (args.dry_run === true) {
    return {
      ok: true,
      dry_run: true,
      plan: {
        title: `Launch ${client} in ${worktree.top}.`,
        steps: [{ action: `Run ${client} in a terminal held by tmux.`, detail: argv.join(' ') }],
      },
      data: { ...where, argv, environment: env },
      message: `Would launch ${client} in ${worktree.top}.`,
    };
  }
  const terminal = await whileAlone(worktree, `launching ${client} in ${worktree.top}`, ctx, async () => {
    const before = await terminalOf(worktree, ctx.signal);
    if (before?.pane && !before.pane.dead) {
      throw new Refusal(
        'busy',
        `${before.terminal.client} runs in this worktree already: use message, or end it there (${attachCommand(before.terminal.name)}), then call again.`,
      );
    }
    const { session } = line;
    const path = process.env.PATH === undefined ? {} : { PATH: process.env.PATH };
    return openTerminal(
      worktree,
      { client, argv, env: { ...env, ...path }, ...(session !== undefined && { session }) },
      ctx.signal,
    );
  });
  const attach = attachCommand(terminal.name);
  return {
    ok: true,
    data: { ...where, terminal: terminal.name, attach },
    message: `${client} runs in ${worktree.top}. To see it: ${attach}`,
  };
}

function requireLinked({ linked, top }: NamedWorktree): void {
  if (linked) return;
  throw new Refusal(
    'not_in_worktree',
    `${top} is the main checkout, and agents are launched in worktrees: name another one, or leave "worktree" out for a new one.`,
  );
}

/** The client's program. Refuses `unavailable` where there is none, naming those there are. */
function requireInstalled(client: Launchable): string {
  const program = programOfAgent(client, process.env);
  if (program !== undefined) return program;
  const others = launchable.filter((one) => programOfAgent(one, process.env) !== undefined);
  throw new Refusal(
    'unavailable',
    `${client} is not on PATH: install it, or launch one that is here (${others.join(', ') || 'there is none'}), then call again.`,
  );
}

/** The worktree a new piece of work gets. It stays when the launch itself is refused afterwards. */
async function made(root: string, { name }: Args<'launch'>, ctx: Context): Promise<NamedWorktree> {
  const { data } = await start(homeOf(root), name === undefined ? {} : { name }, ctx);
  const path = data?.path;
  if (path === undefined) throw new Error('start answered without a path');
  return worktreeNamed(root, path, ctx);
}

async function previewOfBoth(
  root: string,
  { name, client }: Args<'launch'>,
  ctx: Context,
): Promise<Result<'launch'>> {
  const { plan } = await start(homeOf(root), { ...(name !== undefined && { name }), dry_run: true }, ctx);
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Launch ${client} in a new worktree.`,
      steps: [...(plan?.steps ?? []), { action: `Run ${client} there.` }],
    },
    message: `Would make a worktree and launch ${client} in it.`,
  };
}

function homeOf(root: string): string {
  if (root !== '') return root;
  throw new Refusal(
    'path_required',
    'A new worktree needs a project: give its directory as "path", or name a worktree that is there.',
  );
}

async function resumed(client: Launchable, session: string, ctx: Context): Promise<string> {
  const { id, adapter } = await sessionNamed(session, process.env, ctx);
  if (adapter.client === client) return id;
  throw new Refusal(
    'invalid_argument',
    `Session ${id} is one of ${adapter.client}, which ${client} cannot resume: launch ${adapter.client}.`,
  );
}

function requirePlain(texts: Record<string, string | undefined>): void {
  for (const [name, text = ''] of Object.entries(texts)) {
    if (text.includes('\0'))
      throw new Refusal('invalid_argument', `${name} has a NUL character: leave it out.`);
    if (text.length > LONGEST_PROMPT) {
      throw new Refusal(
        'invalid_argument',
        `${name} has ${text.length} characters, more than the ${LONGEST_PROMPT} there may be: write it into a file of the worktree, and name that.`,
      );
    }
  }
}
