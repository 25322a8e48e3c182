import type { Agent } from './verbs-agents.ts';

/** What is known of an installed agent client, in a few words each. */
export function agentWords({ version, problem, models = [], launch, sessions, message }: Agent): string[] {
  const lacks = [
    ...(launch ? [] : ['cannot be launched']),
    ...(sessions ? [] : ['sessions not read']),
    ...(message ? [] : ['takes no messages']),
  ];
  return [
    version ?? `version not known: ${problem ?? 'it says none'}`,
    ...(models.length > 0 ? [`its settings name ${models.join(', ')}`] : []),
    ...lacks,
  ];
}
