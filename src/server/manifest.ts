import * as z from 'zod';
import { envelopeSchema } from '../contract/envelope.ts';
import { projectsTool } from '../contract/projects.ts';
import { type Verb, verbNames, verbs } from '../contract/verbs.ts';

/** A tool as `tools/list` shows it, and which verb it runs. */
export interface ToolEntry<V extends string = Verb> {
  name: string;
  verb: V;
  title: string;
  description: string;
  /** How it is described where it is told to only look; absent when it cannot be, or always does. */
  looking?: string;
  /** What its words are on a server without a held root, where they differ. */
  remote?: { description?: string; looking?: string };
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  annotations: Record<string, unknown>;
}

const jsonSchema = (schema: z.ZodType) => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return rest;
};

/** Output schemas are for checking; their prose would only cost every host tokens. The reference pages have it. */
function withoutDescriptions<T>(schema: T): T {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  );
}

/**
 * The tools, made from the contract's table. Runs when the product is built, and the answer is put into the server as
 * data: turning schemas into JSON Schema at every start would cost more than the rest of the start.
 */
export function buildManifest(): ToolEntry[] {
  return verbNames.map(toolOf);
}

/** The tool of one verb. */
export function toolOf(verb: Verb): ToolEntry {
  const { looking, remoteDescription: description } = verbs[verb];
  const remote = {
    ...(description !== null && { description }),
    ...(looking !== null && { looking: looking.remoteDescription }),
  };
  return {
    ...entry(verb, verbs[verb]),
    ...(looking !== null && { looking: looking.description }),
    ...(Object.keys(remote).length > 0 && { remote }),
  };
}

/** The tool only a server without a held root has. */
export function buildProjectsTool(): ToolEntry<'projects'> {
  return entry('projects', projectsTool);
}

interface Row {
  title: string;
  description: string;
  args: z.ZodType;
  data: z.ZodType;
  annotations: Record<string, boolean>;
}

function entry<V extends string>(verb: V, row: Row): ToolEntry<V> {
  const { title, description, args, data, annotations } = row;
  return {
    name: `discern_${verb}`,
    verb,
    title,
    description,
    inputSchema: jsonSchema(args),
    outputSchema: withoutDescriptions(jsonSchema(envelopeSchema(verb, data as z.ZodObject))),
    annotations: { title, ...annotations, openWorldHint: false },
  };
}
