import type { JsonSchema } from './config-schema.ts';

/** The alternatives of a schema, each by itself. */
export function alternatives(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema];
}

/** The schemas of what stands at a path below a schema: none where nothing may, several where a value has several forms. */
export function schemasAt(schema: JsonSchema, path: readonly string[]): JsonSchema[] {
  let here = [schema];
  for (const name of path) {
    here = here.flatMap(alternatives).flatMap(({ properties = {}, additionalProperties: other }) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own) return [own];
      return typeof other === 'object' && Object.keys(other).length > 0 ? [other] : [];
    });
  }
  return here;
}

/** Whether a key is there to be used: no older spelling, and nothing that may not stand. */
export function isOffered(schema: JsonSchema): boolean {
  return schema.deprecated !== true && schema.not === undefined;
}

/** The type of a schema's values in words, as `string or list of strings`. */
export function typeWords(schema: JsonSchema): string {
  return [...new Set(alternatives(schema).map(oneType))].join(' or ');
}

function oneType({ enum: values, type: said, items, default: given }: JsonSchema): string {
  const type = said ?? typeOf(given);
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ');
  switch (type) {
    case 'object':
      return 'table';
    case 'array':
      return items?.type === undefined ? 'list' : `list of ${typeWords(items)}s`;
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'whole number';
    default:
      return type ?? 'nothing';
  }
}

/** The type of a default, for a key that may hold anything since only others read it. */
function typeOf(given: unknown): JsonSchema['type'] {
  if (Array.isArray(given)) return 'array';
  const type = typeof given;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : undefined;
}

/** A default as it would be written in TOML; `undefined` for one that is not worth saying. */
export function defaultWords({ default: value }: JsonSchema): string | undefined {
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  return Array.isArray(value)
    ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
    : JSON.stringify(value);
}

/** The tables that may stand at a path. */
export function objectsAt(schema: JsonSchema, path: readonly string[]): JsonSchema[] {
  return schemasAt(schema, path).flatMap(alternatives).filter(isTable);
}

/** Whether a schema is a table's; one that only others read is one by its keys. */
export const isTable = ({ type, properties }: JsonSchema): boolean =>
  type === 'object' || (type === undefined && properties !== undefined);

/** Whether nothing but a table may stand there. */
export const isTableOnly = (schema: JsonSchema): boolean => alternatives(schema).every(isTable);

/** A schema in words: its type and default, and what it is for. */
export function about(schema: JsonSchema): { detail: string; documentation?: string } {
  const given = defaultWords(schema);
  return {
    detail: `${typeWords(schema)}${given === undefined ? '' : `, default ${given}`}`,
    ...(schema.description !== undefined && { documentation: schema.description }),
  };
}
