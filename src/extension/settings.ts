import * as vscode from 'vscode';

/** A setting of ours that is on or off; its default stands in package.json. */
type Switch = 'confirmAccept' | 'confirmPrune' | 'prepareOnCommit' | 'showTrunk' | 'markLandingCheckout';

export const isOn = (name: Switch): boolean =>
  vscode.workspace.getConfiguration('discern').get<boolean>(name) === true;

/** Calls `changed` whenever a person changed one of these. */
export const onSettings = (names: readonly Switch[], changed: () => void): vscode.Disposable =>
  vscode.workspace.onDidChangeConfiguration((event) => {
    if (names.some((name) => event.affectsConfiguration(`discern.${name}`))) changed();
  });
