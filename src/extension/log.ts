import * as vscode from 'vscode';

/** The one log channel; `Discern: Show Log` opens it. */
export type Log = vscode.LogOutputChannel;

export const createLog = (): Log => vscode.window.createOutputChannel('Discern', { log: true });

/** An error's own words. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
