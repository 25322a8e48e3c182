import { member, membersOf, type ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';
import { offersOf } from '../scripts.ts';

/** deno.json: its tasks, and Deno's own tools where it configures them. */
export async function deno(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const name = files.first('deno.json', 'deno.jsonc');
  const manifest = name === undefined ? undefined : await files.jsonc(name);
  if (name === undefined || !manifest) return undefined;
  const bodies = new Map<string, string>();
  for (const [task, value] of Object.entries(membersOf(member(manifest, 'tasks')) ?? {})) {
    // A task is a command, or an object that has one.
    const command = typeof value === 'string' ? value : member(value, 'command');
    if (typeof command === 'string') bodies.set(task, command);
  }
  const { offers, notes } = offersOf({
    where: `${name} tasks`,
    bodies,
    command: (task) => `deno task ${task}`,
  });
  const lacks = (job: string) => !offers.some((one) => one.job.startsWith(job));
  const configures = (key: string) => membersOf(member(manifest, key)) !== undefined;
  if (lacks('format') && configures('fmt')) offers.push(known('format', 'deno fmt', `${name} fmt`));
  if (lacks('lint') && configures('lint')) offers.push(known('lint', 'deno lint', `${name} lint`));
  if (lacks('test') && configures('test')) offers.push(known('test', 'deno test', `${name} test`));
  return { name: 'deno', offers, setup: [], notes, files: [name] };
}
