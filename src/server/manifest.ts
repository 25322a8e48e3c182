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
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema: one }) => {
      // zod’s bound of any whole number says nothing.
      if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum;
      if (one.minimum === Number.MIN_SAFE_INTEGER) delete one.minimum;
    },
  });
  return rest;
};

/**
 * What a client checks an answer against: the members of an envelope and of its data, and of what kind each is. Whatever more is
 * known of them stands in the reference pages, since every host pays for each character of a schema with every conversation.
 */
function outline(schema: JsonSchema, depth = 2): JsonSchema {
  const { type, anyOf, const: constant, properties, required } = schema;
  if (constant !== undefined) return { const: constant };
  // A value of several kinds: which ones.
  if (anyOf) return { type: [...new Set(anyOf.flatMap((one) => one.type ?? []))] };
  if (type !== 'object' || !properties || depth === 0) return { type };
  const members = Object.entries(properties).map(([name, one]) => [name, outline(one, depth - 1)]);
  return {
    type,
    properties: Object.fromEntries(members),
    ...(depth === 2 && required && { required }),
    ...(depth === 2 && { additionalProperties: false }),
  };
}

interface JsonSchema {
  type?: string | string[] | undefined;
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: unknown;
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
    outputSchema: { ...outline(jsonSchema(envelopeSchema(verb, data as z.ZodObject)) as JsonSchema) },
    annotations: unlikeDefaults({ ...annotations, openWorldHint: false }),
  };
}

/** What a client takes for granted where an annotation is not given (MCP 2025-11-25, schema, `ToolAnnotations`). */
const defaults: Record<string, boolean> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Every tool says that it stays within this machine: else a client takes it for one that reaches the whole world, and Codex asks
 * a person for each call. What is the default needs no characters.
 */
const unlikeDefaults = (annotations: Record<string, boolean>) =>
  Object.fromEntries(Object.entries(annotations).filter(([name, value]) => value !== defaults[name]));
