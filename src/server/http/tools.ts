import projects from '../../../generated/projects-tool.json';
import { needsNoRoot } from '../../contract/traits.ts';
import type { Verb } from '../../contract/verbs.ts';
import type { ToolEntry } from '../manifest.ts';
import type { RemoteVerb } from './remote-calls.ts';

const pathWords = 'Any directory of the project to act on, absolute, on the server’s machine. Required.';

/** The tools of a server without a held root, from those of one that has it: `path` is required, and projects can be listed. */
export function remoteTools(tools: readonly ToolEntry[]): ToolEntry<RemoteVerb>[] {
  return [projects, ...tools.map(remote)];
}

function remote(tool: ToolEntry): ToolEntry<RemoteVerb> {
  const { verb, inputSchema, remote: words } = tool;
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  return {
    ...tool,
    ...words,
    ...('path' in properties &&
      !needsNoRoot(verb) && {
        inputSchema: {
          ...inputSchema,
          properties: { ...properties, path: { ...properties.path, description: pathWordsOf(verb) } },
          required: [...required, 'path'],
        },
      }),
  };
}

function pathWordsOf(verb: Verb): string {
  if (verb === 'init')
    return 'The directory to make a project of, absolute, on the server’s machine. Required.';
  return pathWords;
}
