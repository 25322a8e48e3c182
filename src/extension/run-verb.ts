import * as vscode from 'vscode';
import type { AnswerOf } from '../contract/answers.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import { type Log, words } from './log.ts';
import type { WindowModel } from './model.ts';
import type { WindowServer } from './window-server.ts';

/** What may help after each refusal, as buttons under its message. */
const remedies: Partial<Record<NonNullable<Envelope['error']>, { title: string; command: string }>> = {
  not_initialized: { title: 'Initialize Project', command: 'discern.init' },
  behind_trunk: { title: 'Update', command: 'discern.update' },
  root_missing: { title: 'Aim Server Here', command: 'discern.aimHere' },
  gate_failed: { title: 'Show Problems', command: 'workbench.actions.view.problems' },
  config_error: { title: 'Show Problems', command: 'workbench.actions.view.problems' },
  untrusted: { title: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
};

/**
 * Runs a verb as the person: progress that can be cancelled while it runs, then one message with what to do next. Resolves
 * with the envelope, or with nothing when the server could not answer.
 */
export async function runVerb<V extends Verb>(
  parts: { server: WindowServer; model: WindowModel; log: Log },
  verb: V,
  args: Args<V>,
  title: string,
): Promise<AnswerOf<V> | undefined> {
  const { log } = parts;
  try {
    const envelope = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => callWithProgress(parts, verb, args, progress, token),
    );
    report(envelope, log);
    return envelope;
  } catch (error) {
    log.error(`${verb}: ${words(error)}`);
    show(vscode.window.showErrorMessage, `Discern could not run ${verb}: ${words(error)}`, [
      { title: 'Show Log', command: 'discern.showLog' },
      { title: 'Restart Server', command: 'discern.restartServer' },
    ]);
    return undefined;
  }
}

async function callWithProgress<V extends Verb>(
  { server, model }: { server: WindowServer; model: WindowModel },
  verb: V,
  args: Args<V>,
  progress: vscode.Progress<{ message?: string }>,
  token: vscode.CancellationToken,
): Promise<AnswerOf<V>> {
  const client = await server.client();
  const abort = new AbortController();
  const subscriptions = [
    token.onCancellationRequested(() => abort.abort()),
    model.onDidChange(({ run }) => {
      if (run?.running && run.caller === 'person' && run.verb === verb)
        progress.report({ message: runMessage(run) });
    }),
  ];
  try {
    return await client.call(verb, args, abort.signal);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    return { ok: false, verb, error: 'cancelled', message: `${verb} was cancelled.` };
  } finally {
    for (const one of subscriptions) one.dispose();
  }
}

function runMessage(run: { waiting?: string | undefined; jobs: { name: string; state: string }[] }): string {
  if (run.waiting !== undefined) return run.waiting;
  const running = run.jobs.filter((job) => job.state === 'running').map((job) => job.name);
  const done = run.jobs.length - running.length;
  return running.length > 0 ? `${running.join(', ')} (${done} done)` : `${done} done`;
}

function report(envelope: Envelope, log: Log): void {
  const { ok, verb, error, message = '' } = envelope;
  log.info(`${verb}: ${ok ? 'ok' : error}. ${message}`);
  for (const hint of envelope.hints ?? []) log.info(`  ${hint}`);
  if (ok) {
    vscode.window.setStatusBarMessage(`$(check) Discern ${verb}: ${message}`, 8000);
    return;
  }
  if (error === 'cancelled') {
    vscode.window.setStatusBarMessage(`$(circle-slash) Discern ${verb} was cancelled`, 8000);
    return;
  }
  const remedy = error && remedies[error];
  show(
    error === 'gate_failed' || error === 'internal_error'
      ? vscode.window.showErrorMessage
      : vscode.window.showWarningMessage,
    `Discern ${verb}: ${message}`,
    [
      ...(remedy ? [remedy] : []),
      ...(envelope.steps ? [{ title: 'Show Gate', command: 'discern.showGate' }] : []),
    ],
  );
}

/** Shows a message whose buttons are commands. Does not wait for an answer. */
export function show(
  how: (message: string, ...items: string[]) => Thenable<string | undefined>,
  message: string,
  actions: readonly { title: string; command: string; arguments?: unknown[] }[],
): void {
  how(message, ...actions.map((action) => action.title)).then((choice) => {
    const action = actions.find((one) => one.title === choice);
    if (action) return vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
  });
}
