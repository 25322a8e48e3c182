import * as vscode from 'vscode';
import { isWhole } from '../../contract/answers.ts';
import { type Launchable, launchable } from '../../contract/launchable.ts';
import type { App } from '../app.ts';
import { nameOf } from '../fleet/row.ts';
import { agentTerminal, openAgentTerminal, typeInto } from '../fleet/terminals.ts';
import { words } from '../log.ts';
import type { PreviewDocuments } from '../preview-documents.ts';
import type { SessionTarget } from '../views/node.ts';
import { shortName } from '../wording.ts';
import { type CommandTarget, quietly, targetPath } from './lifecycle.ts';

const sessionOf = (target: CommandTarget): SessionTarget | undefined =>
  target instanceof vscode.Uri ? undefined : target?.session;

/** `Discern: Launch Agent…`: a client, in an integrated terminal, in a worktree that is there or a new one. */
export async function launchAgent(app: App, target: CommandTarget): Promise<void> {
  const client = await pickClient(app);
  if (!client) return;
  const place = targetPath(target) ?? (await pickPlace(app));
  if (place === undefined) return;
  const prompt = await vscode.window.showInputBox({
    title: `Launch ${client.label}`,
    prompt: 'What is its task? Leave it empty to say that in the terminal.',
  });
  if (prompt === undefined) return;
  const root = place === NEW ? await startFor(app, prompt) : place;
  if (root === undefined) return;
  await runIn(app, root, client.name, prompt.trim() === '' ? {} : { prompt });
}

/** The clients that are installed here and can be launched, with their versions. */
async function pickClient(app: App) {
  const answer = await quietly(app, 'agents', {});
  if (!answer) return undefined;
  const items = (answer.data?.agents ?? []).flatMap(({ client, version = '' }) => {
    const name = launchable.find((one) => one === client);
    return name === undefined ? [] : [{ label: name, description: version, name }];
  });
  if (items.length === 0) {
    await vscode.window.showWarningMessage(
      `No agent client that can be launched is on the server’s PATH: install one of ${launchable.join(', ')}.`,
    );
    return undefined;
  }
  return vscode.window.showQuickPick(items, { title: 'Launch Agent', placeHolder: 'Which client?' });
}

const NEW = Symbol('a new worktree');

async function pickPlace({ model }: App): Promise<string | typeof NEW | undefined> {
  const trees = (model.view.status?.worktrees ?? []).filter(
    (tree) => tree.location === 'worktree' && tree.prunable === undefined && tree.parked === undefined,
  );
  const items: (vscode.QuickPickItem & { place: string | typeof NEW })[] = [
    { label: '$(add) New Worktree…', place: NEW },
    ...trees.map((tree) => ({
      label: nameOf(tree),
      description: tree.title ?? tree.branch ?? 'detached HEAD',
      place: tree.root,
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Launch Agent',
    placeHolder: 'In which worktree?',
    matchOnDescription: true,
  });
  return picked?.place;
}

async function startFor({ runVerb }: App, prompt: string): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: 'Start Worktree',
    prompt: 'What is the work about? A few words; they name the branch and the folder.',
    value: prompt.split(/\s+/).slice(0, 6).join(' '),
  });
  if (name === undefined) return undefined;
  const made = await runVerb(
    'start',
    name.trim() ? { name: name.trim() } : {},
    'Discern: starting a worktree',
  );
  return made && isWhole(made) ? made.data.path : undefined;
}

/** Runs a client in a terminal of this window, by the command and the variables the server would launch it with. */
async function runIn(
  app: App,
  root: string,
  client: Launchable,
  wish: { prompt?: string; resume?: string },
): Promise<void> {
  const running = agentTerminal(root);
  if (running) {
    running.show();
    await vscode.window.showInformationMessage(
      `An agent that was launched here runs in ${shortName(root)} already: the terminal shows it.`,
    );
    return;
  }
  const plan = await quietly(app, 'launch', { client, worktree: root, path: root, ...wish, dry_run: true });
  if (!plan) return;
  const { argv, environment = {} } = plan.data ?? {};
  if (!plan.ok || argv === undefined) {
    await vscode.window.showWarningMessage(`Discern: ${plan.message}`);
    return;
  }
  openAgentTerminal(root, `${client} · ${shortName(root)}`, argv, environment);
}

/** `Open in Terminal`, on a session: its own client goes on with it. */
export async function resumeSession(app: App, target: CommandTarget): Promise<void> {
  const root = targetPath(target);
  const session = sessionOf(target);
  const client = launchable.find((one) => one === session?.client);
  if (root === undefined || session === undefined || client === undefined) return;
  await runIn(app, root, client, { resume: session.id });
}

/** `Discern: Send Message to Agent…`: into the terminal of this window it was launched in, else by the server. */
export async function messageAgent(app: App, target: CommandTarget): Promise<void> {
  const root = targetPath(target) ?? (await pickAgent(app));
  if (root === undefined) return;
  const text = await vscode.window.showInputBox({
    title: `Message to the Agent in ${shortName(root)}`,
    prompt: 'It is typed into the agent’s terminal.',
  });
  if (text === undefined || text.trim() === '') return;
  const terminal = agentTerminal(root);
  if (terminal === undefined) {
    await app.runVerb('message', { worktree: root, path: root, text }, 'Discern: sending the message');
    return;
  }
  try {
    await typeInto(terminal, text);
    vscode.window.setStatusBarMessage(`$(check) Typed into ${terminal.name}`, 8000);
  } catch (error) {
    app.log.error(words(error));
    await vscode.window.showErrorMessage(`The message could not be typed: ${words(error)}`);
  }
}

async function pickAgent({ model }: App): Promise<string | undefined> {
  const items = (model.view.fleet?.projects ?? []).flatMap(({ name, worktrees }) =>
    worktrees
      .filter(({ root, sessions }) => agentTerminal(root) || sessions.some(({ state }) => state !== 'ended'))
      .map((one) => ({
        label: nameOf(one),
        description: name,
        detail:
          one.sessions.map(({ client, state, title }) =>
            [client, state, title].filter(Boolean).join(', '),
          )[0] ?? '',
        root: one.root,
      })),
  );
  if (items.length === 0) {
    await vscode.window.showInformationMessage('No agent is in a worktree: Launch Agent… starts one.');
    return undefined;
  }
  const options = { title: 'Send Message to Agent', placeHolder: 'To which one?' };
  return (await vscode.window.showQuickPick(items, options))?.root;
}

/** `Recollect`, on a session: what the person asked in it, rendered. */
export async function recollectSession(
  app: App,
  documents: PreviewDocuments,
  target: CommandTarget,
): Promise<void> {
  const session = sessionOf(target);
  if (session === undefined) return;
  const answer = await quietly(app, 'recollect', { session: session.id });
  if (!answer) return;
  if (!isWhole(answer)) {
    await vscode.window.showWarningMessage(`Discern: ${answer.message}`);
    return;
  }
  const { client, id, queries } = answer.data;
  const text = [
    `# What was asked in ${session.title ?? id}`,
    `${client}, session ${id}`,
    ...queries.map(
      ({ at, text: asked }) => `---\n\n${at === undefined ? '' : `**${at}**\n\n`}${quoted(asked)}`,
    ),
  ].join('\n\n');
  await documents.render(`${client} ${id.slice(0, 8)}.md`, text);
}

/** A text as it is, whatever Markdown would make of it. */
function quoted(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** `Follow This Session`: the worktree's session is this one from now on. */
export async function remapSession(app: App, target: CommandTarget): Promise<void> {
  const root = targetPath(target);
  const session = sessionOf(target);
  if (root === undefined || session === undefined) return;
  await app.runVerb(
    'remap',
    { worktree: root, path: root, session: session.id },
    'Discern: following a session',
  );
}

/** Goes to a worktree: its agent's terminal where this window has that, else its line in the Worktrees view, else a window of its own. */
export async function goTo(reveal: (root: string) => Promise<boolean>, target: CommandTarget): Promise<void> {
  const root = targetPath(target);
  if (root === undefined) return;
  const terminal = agentTerminal(root);
  if (terminal) terminal.show();
  else if (!(await reveal(root)))
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(root), {
      forceNewWindow: true,
    });
}
