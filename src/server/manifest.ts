import * as z from 'zod';
import { envelopeSchema } from '../contract/envelope.ts';
import { type Verb, verbNames, verbs } from '../contract/verbs.ts';

/** A tool as `tools/list` shows it. */
export interface ToolEntry {
  name: string;
  verb: Verb;
  title: string;
  description: string;
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
  return verbNames.map((verb) => {
    const { title, description, args, data, annotations } = verbs[verb];
    return {
      name: `discern_${verb}`,
      verb,
      title,
      description,
      inputSchema: jsonSchema(args),
      outputSchema: withoutDescriptions(jsonSchema(envelopeSchema(verb, data as z.ZodObject))),
      annotations: { title, ...annotations, openWorldHint: false },
    };
  });
}
