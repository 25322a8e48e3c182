import type { ScopeResult } from '../../contract/data.ts';
import { count } from './time.ts';

export interface ScopeLine {
  key: string;
  name: string;
  text: string;
}

/** The scopes that changed: how many files of each, and what that means for the gate. */
export function changedScopes(scopes: readonly ScopeResult[]): ScopeLine[] {
  return scopes
    .filter(({ changed }) => changed)
    .map(({ name, files, neutral, previewable, gate }) => ({
      key: name,
      name,
      text: [
        count(files, 'file'),
        ...(neutral ? ['neutral'] : []),
        ...(previewable ? ['previewable'] : []),
        ...(gate ? ['with a gate of its own'] : []),
      ].join(', '),
    }));
}
