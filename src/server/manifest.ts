import * as z from 'zod';
import { envelopeSchema } from '../contract/envelope.ts';
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

/** The members of an envelope that a tool's output schema names: they are in every answer, or say what it is about. */
const told = new Set(['ok', 'verb', 'data']);

/**
 * What a client checks an answer against: that it says yes or no, and to what. The rest stands in the reference pages, since every
 * host pays for each character of a schema with every conversation, and hosts show their models none of it.
 */
function outline(envelope: JsonSchema): JsonSchema {
  const members = Object.entries(envelope.properties ?? {}).filter(([name]) => told.has(name));
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, schema]) => [name, member(schema)])),
    ...(envelope.required && { required: envelope.required }),
  };
}

const member = ({ type, const: constant }: JsonSchema): JsonSchema =>
  constant === undefined ? { type } : { const: constant };

interface JsonSchema {
  type?: string | string[] | undefined;
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
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
