import type * as vscode from 'vscode';
import type { AnswerOf } from '../contract/answers.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import type { Log } from './log.ts';
import type { WindowModel } from './model.ts';
import type { WindowServer } from './window-server.ts';

/** What the parts of the extension share. Made once, in `activate`; handed to each part that needs it. */
export interface App {
  context: vscode.ExtensionContext;
  log: Log;
  model: WindowModel;
  server: WindowServer;
  /** Puts a checkout beside the other folders of this window, which may restart the extension host. */
  addFolder: (path: string) => void;
  /** Reads the held root's status again, soon; several wishes at once become one. */
  refresh: () => void;
  /** Runs a verb as the person, with progress and cancel, and shows what came of it. */
  runVerb: <V extends Verb>(verb: V, args: Args<V>, title: string) => Promise<AnswerOf<V> | undefined>;
}
