import type { KeptRef, PruneData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Ink } from '../ink.ts';
import { short, table } from '../words.ts';

/** A recovery ref, with the command that brings it back and the one that lets it go. */
export const keptRefLines = ({ commit, kept_at, restore, remove }: KeptRef, ink: Ink): string[] => [
  `  ${short(commit)}${kept_at ? ` since ${kept_at.slice(0, 10)}` : ''}  ${restore}`,
  ink.dim(`    let it go: ${remove}`),
];

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
      : ['Kept of removed worktrees:', ...recovery_refs.flatMap((one) => keptRefLines(one, ink))],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
