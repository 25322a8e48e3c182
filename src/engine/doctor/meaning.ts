import type { Config } from '../../contract/config.ts';
import type { Finding } from '../../contract/data.ts';
import type { Tolerated } from '../config/tolerated.ts';
import { fine, warn } from './finding.ts';

/** What keys of the published format mean here, where that is not what they mean there: nothing is ignored in silence. */
export function meaningHere(
  { acceptance, checkpoints, scopes }: Config,
  tolerated: readonly Tolerated[],
  path: string,
): Finding[] {
  const granted = acceptance.pre_authorized;
  const asked = checkpoints.map(({ name, mode = 'stop' }) => `${name} (${mode})`);
  const idle = scopes.filter(({ neutral, gate }) => neutral && gate !== undefined).map(({ name }) => name);
  return [
    ...tolerated.map(({ key, line, instead }) =>
      fine('config', `${key} (line ${line}) has no effect here: ${instead}.`),
    ),
    ...(granted.length > 0
      ? [
          fine(
            'policy',
            `[acceptance].pre_authorized (${granted.join(', ')}): accept says of each landing whether it is covered; it asks nobody where it is not.`,
          ),
        ]
      : []),
    ...(asked.length > 0
      ? [
          warn(
            'policy',
            `[checkpoints] are not asked here: ${asked.join(', ')}. done and accept name those that may apply, and hold nothing for them.`,
            'Have the person who lands the work answer them.',
          ),
        ]
      : []),
    ...idle.map((name) =>
      warn(
        'config',
        `The gate of [scopes.${name}] never runs, since the scope is neutral.`,
        `In ${path}: take out its gate, or neutral.`,
      ),
    ),
  ];
}
