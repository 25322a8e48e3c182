import { needsNoRoot } from '../../contract/traits.ts';
import type { Verb } from '../../contract/verbs.ts';
import type { ToolEntry } from '../manifest.ts';

const pathWords = 'Any directory of the project to act on, absolute, on the server’s machine. Required.';

/** The tools of a server without a held root, from those of one that has it: where a root is needed, `path` is required. */
export const remoteTools = (tools: readonly ToolEntry[]): ToolEntry[] => tools.map(remote);

function remote(tool: ToolEntry): ToolEntry {
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
