import * as z from 'zod';
import { ConfigFile } from './config.ts';
import { SettingsFile } from './settings.ts';

/** A JSON Schema (draft 7), as far as ours have keywords. Made by {@link configSchema}, read by the editor. */
export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  properties?: Record<string, JsonSchema>;
  /** What a key that is no property may hold; `false` where there may be none. */
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  /** Where one of several keys must stand. */
  oneOf?: { required: string[] }[];
  enum?: string[];
  default?: unknown;
  deprecated?: boolean;
  /** Present where nothing may stand. */
  not?: JsonSchema;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

/** A text that is neither blank nor holds a NUL character, as one pattern; zod has one for each complaint. */
const filled = '^[^\\x00]*[^\\s\\x00][^\\x00]*$';

/**
 * The JSON Schema of `discern.toml`. Draft 7, which TOML editors know. It says all that the reader refuses in one table;
 * it cannot say what the reader refuses across tables (a job in `[capabilities]` and `[checks]`) or once `${…}` is resolved.
 */
export function configSchema(): JsonSchema {
  return schemaOf(ConfigFile, 'discern.toml', 'How discern works on this project.');
}

/** The JSON Schema of `discern-vscode.toml`. */
export function settingsSchema(): JsonSchema {
  return schemaOf(SettingsFile, 'discern-vscode.toml', 'Settings that the published format does not have.');
}

function schemaOf(file: z.ZodType, title: string, description: string): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(file, {
    io: 'input',
    target: 'draft-7',
    override({ jsonSchema }) {
      if (!jsonSchema.allOf?.every((one) => typeof one === 'object' && one.pattern !== undefined)) return;
      // What a third pattern says, it says by looking ahead from the beginning.
      const [, , third] = jsonSchema.allOf as { pattern: string }[];
      delete jsonSchema.allOf;
      jsonSchema.pattern = third ? `${third.pattern}${filled.slice(1)}` : filled;
    },
  });
  return {
    ...($schema !== undefined && { $schema }),
    title,
    description,
    ...(rest as JsonSchema),
  };
}
