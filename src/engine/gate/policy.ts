import type { Checkpoint, Config } from '../../contract/config.ts';
import { count } from '../../contract/count.ts';
import { checkConfig, configFile } from '../config/index.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import type { Repository, Trunk } from '../repository/repository.ts';
import { trunkFile } from '../repository/trunk-file.ts';

/** How many checkpoints and paths are named, and how much of a question is shown, in characters. */
const MOST_NAMED = 5;
const LONGEST_QUESTION = 160;

/**
 * What the owner's policies on the trunk say of a landing of these changed paths, in sentences: whether
 * `[acceptance].pre_authorized` covers it, and which `[checkpoints]` discern has not asked. Empty where the trunk has no
 * policy. The trunk's own file counts, so that no branch grants itself anything.
 */
export async function policyWords(
  repo: Repository,
  trunk: Trunk,
  changed: readonly string[],
): Promise<string[]> {
  const policy = changed.includes(configFile) ? await trunkConfig(repo, trunk) : repo.config.config;
  if (policy === undefined) {
    return [
      `${configFile} on ${trunk.name} cannot be read, so nothing is pre-authorized, and checkpoints it may have were not asked.`,
    ];
  }
  return [...grantWords(policy, trunk.name, changed), ...checkpointWords(policy, changed)];
}

/** The config the trunk has committed; none there is one without policies. */
async function trunkConfig(repo: Repository, trunk: Trunk): Promise<Config | undefined> {
  const text = await trunkFile(repo, trunk, configFile);
  return text === undefined ? undefined : checkConfig(text ?? '', configFile).config;
}

function grantWords({ acceptance, scopes }: Config, trunk: string, changed: readonly string[]): string[] {
  const granted = acceptance.pre_authorized;
  if (granted.length === 0) return [];
  const tests = scopes.filter(({ name }) => granted.includes(name)).map(({ paths }) => scopeMatchers(paths));
  const outside = changed.filter((path) => !tests.some((test) => test(path)));
  const names = granted.join(', ');
  if (outside.length === 0)
    return [`Pre-authorized by [acceptance] of ${trunk}: every change lies in ${names}.`];
  return [
    `Not pre-authorized by [acceptance] of ${trunk}: ${listed(outside)} ${outside.length === 1 ? 'lies' : 'lie'} outside ${names}. discern asks nobody for the owner’s word: whoever calls accept answers for it.`,
  ];
}

/** The checkpoints that may apply to these changes. Only where one watches is looked at; whatever else narrows it is not. */
export function checkpointWords({ checkpoints, scopes }: Config, changed: readonly string[]): string[] {
  const watching = checkpoints.filter((checkpoint) => changed.some(watches(checkpoint, scopes)));
  if (watching.length === 0) return [];
  const said = watching.slice(0, MOST_NAMED).map(({ name, mode = 'stop', question, question_file }) => {
    const asks = question === undefined ? (question_file ?? '') : quoted(question);
    return `${name} (${mode})${asks && `: ${asks}`}`;
  });
  const more = watching.length - said.length;
  return [
    `discern does not ask checkpoints, and these may apply here: ${[...said, ...(more > 0 ? [`${more} more`] : [])].join('; ')}. Answer them to the owner before the work lands.`,
  ];
}

function watches({ scope, paths, exclude_paths: left = [] }: Checkpoint, scopes: Config['scopes']) {
  const own = paths ?? scopes.find(({ name }) => name === scope)?.paths;
  const taken = own ? scopeMatchers(own) : () => true;
  const without = left.length > 0 ? scopeMatchers(left) : () => false;
  return (path: string) => taken(path) && !without(path);
}

const quoted = (text: string) => {
  const line = text.trim().replace(/\s+/g, ' ');
  return `"${line.length > LONGEST_QUESTION ? `${line.slice(0, LONGEST_QUESTION)}…` : line}"`;
};

const listed = (paths: readonly string[]) => {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${count(more, 'more path')}` : ''}`;
};
