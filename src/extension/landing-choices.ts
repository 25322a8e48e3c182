import type { AnswerOf } from '../contract/answers.ts';
import { count } from '../contract/count.ts';
import type { OtherWay } from '../contract/data.ts';
import type { Args } from '../contract/verbs.ts';

/** A button of the question before Accept, and the arguments it adds. */
export interface LandingChoice {
  label: string;
  args: Pick<Args<'accept'>, OtherWay>;
}

const labels: Record<OtherWay, string> = {
  queue: 'Queue',
  push: 'Accept and Push',
  pr: 'Open Pull Request',
};

/** What a preview of accept lets a person choose: landing now, and what else the repository has a place for. */
export const landingChoices = ({ data }: Pick<AnswerOf<'accept'>, 'data'>): LandingChoice[] => [
  { label: 'Accept', args: {} },
  ...(data?.ways ?? []).map((way) => ({ label: labels[way], args: { [way]: true } })),
];

/** What the question says below itself: what is proved, what lands, and what goes. */
export function landingDetail({ plan, data }: Pick<AnswerOf<'accept'>, 'plan' | 'data'>): string {
  const { files = [], trunk = 'the trunk' } = data ?? {};
  const steps = plan?.steps ?? [];
  const detailsOf = (action: string) =>
    steps.filter((step) => step.action === action).map(({ detail }) => detail ?? '');
  const commits = detailsOf('land').map((detail) => `• ${detail}`);
  const removed = detailsOf('remove');
  const isCombined = detailsOf('combine').length > 0;
  const proof =
    detailsOf('run the gate').length === 0
      ? 'The proof stands: the gate does not run again.'
      : isCombined
        ? `The gate runs first, on this together with what ${trunk} has got.`
        : 'The gate runs first: there is no valid proof.';
  const shown = `${count(files.length, 'file')}: ${files.slice(0, 12).join(', ')}${files.length > 12 ? ', …' : ''}`;
  const goes =
    removed.length > 0
      ? `Landing removes ${removed.join(', ')} and its branch.`
      : 'The checkout and its branch are kept.';
  return [proof, commits.join('\n'), shown, goes].join('\n\n');
}
