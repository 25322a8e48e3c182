import type * as vscode from 'vscode';
import type { App } from './app.ts';
import { isOn } from './settings.ts';

/**
 * Runs Prepare after each commit in the held root, for who wants that (`discern.prepareOnCommit`). Only a commit that came on top
 * counts: a held root that moved, or a run of the gate that is going on, starts nothing.
 */
export function registerPreparing({ model, runVerb }: App): vscode.Disposable {
  let seen: { root: string; commit: string } | undefined;
  return model.onDidChange(({ status, run, trusted }) => {
    if (!status) return;
    const commit = status.worktrees.find(({ root }) => root === status.root)?.commit;
    if (commit === undefined) return;
    const moved = seen?.root === status.root && seen.commit !== commit;
    seen = { root: status.root, commit };
    if (!moved || !trusted || run?.running || status.ahead === 0 || !isOn('prepareOnCommit')) return;
    void runVerb('prepare', {}, 'Discern: preparing the commit');
  });
}
