import * as z from 'zod';
import { commands } from '../cli/commands.ts';
import { type OptionSpec, shared } from '../cli/options.ts';
import { typeWords } from '../contract/schema-words.ts';
import { type Verb, verbNames, verbs } from '../contract/verbs.ts';

/** The verbs in Markdown, from the contract's table and the command line's. */
export function verbReference(): string {
  return [
    `At a terminal every verb also takes:\n\n${options(shared)}`,
    'Exit codes: 0 all is well, 1 refused or failed, 2 wrong usage, 130 interrupted, 143 terminated. `discern mcp` serves the verbs to agents; `discern completion` prints a completion script for the shell; `--help` behind any verb explains it, and `--version` says which discern this is.',
    ...verbNames.map(section),
  ].join('\n\n');
}

function section(verb: Verb): string {
  const { description, args, annotations } = verbs[verb];
  const command = commands[verb];
  const positionals = Object.entries(command.positionals).map(([name, what]) => `- \`${name}\`: ${what}`);
  const { properties = {}, required = [] } = z.toJSONSchema(args, { io: 'input' });
  const tool = Object.entries(properties).map(([name, schema]) => {
    const { description: what = '', ...rest } = schema as { description?: string };
    const type = typeWords(rest as Parameters<typeof typeWords>[0]);
    return `- \`${name}\` (${type}${required.includes(name) ? ', required' : ''}): ${what}`;
  });
  const effect = annotations.readOnlyHint
    ? ', which changes nothing'
    : annotations.destructiveHint
      ? ', which may delete'
      : '';
  return [
    `## ${verb}\n\n${description}`,
    [`Terminal: \`discern ${command.usage}\``, ...positionals, options(command.options)].filter(Boolean),
    [`Tool: \`discern_${verb}\`${effect}`, ...tool],
  ]
    .map((part) => (typeof part === 'string' ? part : `${part[0]}\n\n${part.slice(1).join('\n')}`.trim()))
    .join('\n\n');
}

function options(specs: Record<string, OptionSpec>): string {
  return Object.entries(specs)
    .map(([name, { alias, describe }]) => `- \`--${name}\`${alias ? `, \`-${alias}\`` : ''}: ${describe}`)
    .join('\n');
}
