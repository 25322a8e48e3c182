import * as vscode from 'vscode';
import { isInside } from '../contract/inside.ts';
import { asShown } from './folders.ts';
import type { WindowModel, WindowView } from './model.ts';
import { isOn, onSettings } from './settings.ts';
import { shortName } from './wording.ts';

/** The landing checkout as this window shows it, and the worktree in which the work is instead. */
export interface Elsewhere {
  landing: string;
  worktree: string;
}

/** Where one would type past the work: the landing checkout, while the held root is a worktree. */
export function elsewhere({ held, status, folders }: WindowView): Elsewhere | undefined {
  const own = status?.worktrees.find(({ root }) => root === held?.root);
  const landing = status?.worktrees.find((tree) => tree.landing);
  if (own?.location !== 'worktree' || !landing || own.path === landing.path) return undefined;
  const shows = folders.some(({ real }) => isInside(real, landing.path) || isInside(landing.path, real));
  return shows ? { landing: asShown(landing.path, folders), worktree: own.root } : undefined;
}

/**
 * Says it where one types: the files of the landing checkout that are open, and its folder, have a badge in the Explorer and on
 * their tabs, and a line above their first one, while the work of an agent is held in a worktree.
 */
export function registerElsewhere(model: WindowModel): vscode.Disposable {
  const changed = new vscode.EventEmitter<undefined>();
  let now: Elsewhere | undefined;
  const look = () => {
    const before = JSON.stringify(now);
    now = isOn('markLandingCheckout') ? elsewhere(model.view) : undefined;
    if (JSON.stringify(now) !== before) changed.fire(undefined);
  };
  const counts = ({ scheme, fsPath }: vscode.Uri) =>
    now !== undefined &&
    scheme === 'file' &&
    isInside(fsPath, now.landing) &&
    !/[\\/]\.git[\\/]/.test(fsPath);
  const isOpen = (uri: vscode.Uri) =>
    vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  look();
  return vscode.Disposable.from(
    changed,
    model.onDidChange(look),
    onSettings(['markLandingCheckout'], look),
    vscode.workspace.onDidOpenTextDocument(() => now && changed.fire(undefined)),
    vscode.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: changed.event,
      provideFileDecoration(uri) {
        if (now === undefined || !counts(uri)) return undefined;
        if (uri.fsPath !== now.landing && !isOpen(uri)) return undefined;
        return {
          badge: '↗',
          color: new vscode.ThemeColor('list.warningForeground'),
          tooltip: `The work is in the worktree ${shortName(now.worktree)}, not here`,
        };
      },
    }),
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file' },
      {
        onDidChangeCodeLenses: changed.event as unknown as vscode.Event<void>,
        provideCodeLenses({ uri }) {
          if (now === undefined || !counts(uri)) return [];
          const top = new vscode.Range(0, 0, 0, 0);
          const { worktree } = now;
          return [
            new vscode.CodeLens(top, {
              title: `$(warning) The work is in the worktree ${shortName(worktree)}, not in this checkout`,
              command: 'discern.openThere',
              tooltip: 'Open this file there',
              arguments: [uri],
            }),
          ];
        },
      },
    ),
  );
}
