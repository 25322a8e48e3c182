import { standardJob } from '../config/standard-names.ts';

/** The name of the job that is a scope's gate. */
export const scopeJob = (name: string) => `scope:${name}`;

/** The job that `jobs.<name>`, `scopes.<name>.gate` or `standards.<name>` stands for, by its name in a plan. */
export function jobNamed(selector: string): string {
  const [table, name = ''] = selector.split('.');
  if (table === 'scopes') return scopeJob(name);
  return table === 'standards' ? standardJob(name) : name;
}

/** The jobs that must pass before one, to spread into it. */
export const needing = (needs: readonly string[] | undefined) =>
  needs && needs.length > 0 ? { needs: needs.map(jobNamed) } : {};
