import { count } from '../../contract/count.ts';
import type { ScopesData } from '../../contract/data.ts';
import type { Ink } from '../ink.ts';
import { table } from '../words.ts';

/** Changed paths in no scope that are named; the rest is counted. */
const MOST_PATHS = 20;

/** The project's scopes, those a change falls in marked, and the changed paths that are in none. */
export function scopeLines({ scopes, code }: ScopesData, ink: Ink): string[] {
  const rows = scopes.map(({ name, changed, files, neutral, previewable, gate }) => {
    const mark = changed ? '*' : ' ';
    const what = [neutral ? 'neutral' : (gate ?? ''), previewable ? 'previewable' : '']
      .filter((part) => part !== '')
      .join(', ');
    return [
      { text: `${mark} ${name}`, shown: changed ? ink.green(`${mark} ${name}`) : `${mark} ${name}` },
      { text: changed ? count(files, 'changed path') : '' },
      { text: what, shown: ink.dim(what) },
    ];
  });
  const more = code.length - MOST_PATHS;
  return [
    ...table(rows),
    ...(code.length > 0 ? [...(rows.length > 0 ? [''] : []), 'In no scope, so judged as code:'] : []),
    ...code.slice(0, MOST_PATHS).map((path) => `  ${path}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
