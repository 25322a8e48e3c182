import type { PruneData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Ink } from '../ink.ts';
import { short, table } from '../words.ts';

/** What was mended (a preview's plan has said it already), what stays and why, and what recovery refs keep. */
export function pruneLines({ dry_run, data }: Envelope<PruneData>, ink: Ink): string[] {
  const { pruned = [], kept = [], recovery_refs = [] } = data ?? {};
  const sections = [
    dry_run
      ? []
      : table(
          pruned.map(({ action, detail }) => [
            { text: `  ${action}` },
            { text: detail, shown: ink.dim(detail) },
          ]),
        ),
    kept.flatMap(({ what, remedy }) => [`${ink.yellow('!')} ${what}`, `  ${remedy}`]),
    recovery_refs.length === 0
      ? []
      : [
          'Kept by recovery refs, which prune never removes:',
          ...recovery_refs.map(({ ref, commit }) => `  ${short(commit)} ${ref}`),
        ],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
