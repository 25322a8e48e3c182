import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PaletteVerb } from '../contract/traits.ts';
import type { App } from './app.ts';
import {
  goTo,
  launchAgent,
  messageAgent,
  recollectSession,
  remapSession,
  resumeSession,
} from './commands/agents.ts';
import { removeKept, restoreKept } from './commands/kept.ts';
import { accept, type CommandTarget, drop, pinStandards, simple, start } from './commands/lifecycle.ts';
import { removeMcpJson, writeMcpJson } from './commands/mcp-json.ts';
import { doctor, initialize } from './commands/project.ts';
import { openThere, registerCommitFiles, reviewChanges } from './commands/review.ts';
import { serveProjects } from './commands/serve.ts';
import { help, prune } from './commands/upkeep.ts';
import { addFolder, addHeldRoot, aimHere, offerHelp, openHeldRoot } from './commands/window.ts';
import { registerConfigEditing } from './config-editing.ts';
import { ConfigProblems } from './config-problems.ts';
import { registerContextKeys } from './context-keys.ts';
import { decideByPlugin, registerDefinition } from './definitions.ts';
import { registerElsewhere } from './elsewhere.ts';
import { FleetSource } from './fleet/fleet-source.ts';
import { registerFleetNotifications } from './fleet/notifications.ts';
import { registerFollowing } from './following.ts';
import { registerGate } from './gate-view.ts';
import { HttpServer } from './http-server.ts';
import { words } from './log.ts';
import { WindowModel } from './model.ts';
import { registerPreparing } from './preparing.ts';
import { PreviewDocuments } from './preview-documents.ts';
import { Problems } from './problems.ts';
import { Refresher } from './refresh.ts';
import { runVerb } from './run-verb.ts';
import { StateFile } from './state-file.ts';
import { registerTree } from './views/node-tree.ts';
import { rootTree } from './views/root-tree.ts';
import { StatusBar } from './views/status-bar.ts';
import { WorktreesView } from './views/worktrees-tree.ts';
import { WindowServer } from './window-server.ts';

let close: (() => Promise<void>) | undefined;

/** Wires the parts together; each does its own work. */
export async function activate(context: vscode.ExtensionContext): Promise<unknown> {
  const log = vscode.window.createOutputChannel('Discern', { log: true });
  const dist = join(context.extensionPath, 'dist');
  const version = String(context.extension.packageJSON.version);
  const model = new WindowModel();
  const [stateFile, byPlugin] = await Promise.all([StateFile.open(context), decideByPlugin()]);
  const server = new WindowServer({
    dist,
    version,
    stateFile: stateFile.path,
    log,
    onConnected: async (client) => model.setHeld(await client.held()),
    onEvent: (event) => model.onEvent(event),
  });
  const refresher = new Refresher(server, model, log);
  let folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const app: App = {
    context,
    log,
    model,
    server,
    addFolder: (path) => {
      // The window that follows may open before this one has closed.
      stateFile.handOff(folders);
      addFolder(path, model.view.folders);
    },
    refresh: () => refresher.now(),
    runVerb: (verb, args, title) => runVerb({ server, model, log }, verb, args, title),
  };
  const documents = new PreviewDocuments();
  const http = new HttpServer();
  const worktrees = new WorktreesView(model);
  const fleet = new FleetSource(server, model, log);
  context.subscriptions.push(
    log,
    model,
    server,
    refresher,
    server.onDidChangeState((state) => {
      model.setServer(state);
      if (state === 'running') refresher.now();
    }),
    new StatusBar(model),
    new Problems(model),
    new ConfigProblems(server, log),
    registerConfigEditing(dist),
    registerFollowing(app),
    registerPreparing(app),
    registerElsewhere(model),
    registerCommitFiles(),
    registerContextKeys(model, (error) => log.warn(words(error))),
    registerDefinition(dist, server.socket, version, byPlugin),
    ...registerTree('discern.root', rootTree(model)),
    worktrees,
    fleet,
    registerFleetNotifications(app),
    registerGate({
      dist: vscode.Uri.joinPath(context.extensionUri, 'dist'),
      model,
      log,
      run: (verb) => void vscode.commands.executeCommand(`discern.${verb}`),
      cancel: () => void vscode.commands.executeCommand('discern.cancel'),
      review: () => void vscode.commands.executeCommand('discern.reviewChanges'),
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => trust(app)),
    documents,
    ...registerCommands(app, documents, http, worktrees),
  );
  context.subscriptions.push(
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
      const open = folders;
      server
        .client()
        .then((client) => client.folders(open))
        .catch((error: unknown) => log.warn(`The server could not be given the folders: ${words(error)}`));
    }),
  );
  close = async () => {
    stateFile.close(folders);
    await Promise.all([server.stop(), http.stop()]);
  };
  server.client().catch((error: unknown) => log.error(`The server did not start: ${words(error)}`));
  return { model, server };
}

/** VS Code waits for this when a window closes: the server and all it started end with the window. */
export async function deactivate(): Promise<void> {
  await close?.();
}

function trust({ server, log, model }: App): void {
  server
    .client()
    .then((client) => client.trust())
    .then(
      () => model.setServer(server.state),
      (error: unknown) => log.error(`Trust could not be told to the server: ${words(error)}`),
    );
}

/** Commands that are no verb of their own. */
type OwnCommand =
  | 'pinStandards'
  | 'openHeldRoot'
  | 'addHeldRoot'
  | 'aimHere'
  | 'writeMcpJson'
  | 'removeMcpJson'
  | 'serveProjects'
  | 'restoreKept'
  | 'removeKept'
  | 'offerHelp'
  | 'reviewChanges'
  | 'openThere'
  | 'openWorktree'
  | 'launchAgent'
  | 'messageAgent'
  | 'resumeSession'
  | 'recollectSession'
  | 'remapSession'
  | 'goTo'
  | 'refresh'
  | 'showGate'
  | 'openGatePanel'
  | 'showLog'
  | 'restartServer'
  | 'cancel';

function registerCommands(
  app: App,
  documents: PreviewDocuments,
  http: HttpServer,
  worktrees: WorktreesView,
): vscode.Disposable[] {
  const { log, server, model } = app;
  const commands: Record<PaletteVerb | OwnCommand, (target?: CommandTarget) => unknown> = {
    start: (target) => start(app, target),
    prepare: (target) => simple('prepare', 'fixing and checking')(app, target),
    test: (target) => simple('test', 'testing')(app, target),
    done: (target) => simple('done', 'running the gate')(app, target),
    standards: (target) => simple('standards', 'measuring the standards')(app, target),
    pinStandards: (target) => pinStandards(app, target),
    update: (target) => simple('update', 'bringing the trunk in')(app, target),
    accept: (target) => accept(app, target),
    drop: (target) => drop(app, target),
    init: (target) => initialize(app, documents, target),
    doctor: (target) => doctor(app, documents, target),
    openHeldRoot: (target) => openHeldRoot(app, target),
    addHeldRoot: (target) => addHeldRoot(app, target),
    aimHere: (target) => aimHere(app, target),
    writeMcpJson: (target) => writeMcpJson(app, target),
    removeMcpJson: (target) => removeMcpJson(app, target),
    serveProjects: () => serveProjects(app, http),
    restoreKept: (target) => restoreKept(app, target),
    removeKept: (target) => removeKept(app, target),
    prune: (target) => prune(app, target),
    help: () => help(app, documents),
    reviewChanges: (target) => reviewChanges(app, target),
    openThere: (target) => openThere(app, target),
    openWorktree: (target) => openHeldRoot(app, target),
    launchAgent: (target) => launchAgent(app, target),
    messageAgent: (target) => messageAgent(app, target),
    resumeSession: (target) => resumeSession(app, target),
    recollectSession: (target) => recollectSession(app, documents, target),
    remapSession: (target) => remapSession(app, target),
    goTo: (target) => goTo((root) => worktrees.reveal(root), target),
    offerHelp: () => offerHelp(app),
    refresh: () => app.refresh(),
    showGate: () => vscode.commands.executeCommand('discern.gate.focus'),
    openGatePanel: () => vscode.commands.executeCommand('discern.gatePanel.focus'),
    showLog: () => log.show(),
    restartServer: () => server.restart(),
    cancel: () => server.client().then((client) => client.cancel(model.shownCall ?? -1)),
  };
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`discern.${name}`, run),
  );
}
