import { tolerated } from '../../contract/config-others.ts';
import { tableName, valueName } from './problems.ts';
import type { Place, TableNode } from './tree.ts';

/** A key of the published format that has no effect here. */
export interface Tolerated {
  /** As one would write it: `[gate].stream_output`. */
  key: string;
  line: number;
  /** What holds here instead, in words that follow a colon. */
  instead: string;
}

/** The keys of a file that are read and have no effect here, in file order; a table once for all of its keys. */
export function toleratedIn(root: TableNode): Tolerated[] {
  const found: { at: Place; one: Tolerated }[] = [];
  for (const [pattern, instead] of Object.entries(tolerated)) {
    const steps = pattern.split('.');
    const walk = (table: TableNode, path: string[]) => {
      const step = steps[path.length] ?? '';
      const isLast = path.length === steps.length - 1;
      for (const [name, { key, value }] of table.entries) {
        if (step !== '*' && step !== name) continue;
        const full = [...path, name];
        if (!isLast) {
          if (value.kind === 'table') walk(value, full);
          continue;
        }
        const shown = full.length === 1 ? tableName(full) : valueName(full);
        found.push({ at: key, one: { key: shown, line: key.line, instead } });
      }
    };
    walk(root, []);
  }
  return found.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column).map(({ one }) => one);
}
