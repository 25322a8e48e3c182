import type * as vscode from 'vscode';

/** The one log channel; `Discern: Show Log` opens it. */
export type Log = vscode.LogOutputChannel;

/** An error's own words. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
