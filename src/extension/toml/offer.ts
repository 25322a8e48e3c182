import type { JsonSchema } from '../../contract/config-schema.ts';
import {
  about,
  alternatives,
  defaultWords,
  isOffered,
  isTable,
  isTableOnly,
  objectsAt,
  schemasAt,
} from '../../contract/schema-words.ts';
import { namesIn, type Zone } from './scan.ts';

/** Something to complete with. `insert` is a snippet: `$1` and `${1|a,b|}` are places to fill in. */
export interface Offer {
  label: string;
  kind: 'table' | 'key' | 'value';
  insert: string;
  detail: string;
  documentation?: string;
  /** What is typed is compared with this instead of the label. */
  filter?: string;
}

/** What fits at a zone: tables in a header, keys that are not there yet, the values a key may have. */
export function offers(schema: JsonSchema, zones: readonly Zone[], zone: Zone): Offer[] {
  switch (zone.kind) {
    case 'header':
      return tablesBelow(schema, zone.path, zones, zone).map(({ path, ...table }) => ({
        ...table,
        label: shown(path.slice(zone.path.length)),
        insert: headerSnippet(path.slice(zone.path.length)),
      }));
    case 'key':
      return [...keys(schema, zones, zone), ...newTables(schema, zones, zone)];
    case 'value':
      return schemasAt(schema, zone.path).flatMap((one) => values(zone.inList ? itemsOf(one) : [one]));
  }
}

function keys(schema: JsonSchema, zones: readonly Zone[], zone: Zone): Offer[] {
  // At the top of the file there are only tables.
  if (zone.path.length === 0) return [];
  const taken = namesIn(zones, zone.path, zone);
  return objectsAt(schema, zone.path)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([name, one]) => isOffered(one) && !taken.has(name) && (zone.inline || !isTableOnly(one)))
    .map(([name, one]) => ({
      label: name,
      kind: 'key' as const,
      insert: zone.complete ? name : `${name} = ${valueSnippet(one)}`,
      ...about(one),
    }));
}

/** At the beginning of a statement a new table may be begun, brackets and all. */
function newTables(schema: JsonSchema, zones: readonly Zone[], zone: Zone): Offer[] {
  if (!zone.begins || zone.complete) return [];
  return tablesBelow(schema, [], zones, zone).map(({ path, ...table }) => ({
    ...table,
    label: `[${shown(path)}]`,
    filter: shown(path),
    insert: `[${headerSnippet(path)}]\n${requiredKeys(schema, path)}`,
  }));
}

interface Table extends Omit<Offer, 'label' | 'insert'> {
  path: string[];
}

/** Stands in a path for a name that is the author's to choose. */
const anyName = '<name>';

/** The tables at and below a path that a file may have and does not have yet. */
function tablesBelow(schema: JsonSchema, base: readonly string[], zones: readonly Zone[], at: Zone): Table[] {
  const found: Table[] = [];
  const given = new Set(
    zones
      .filter((zone) => zone !== at && zone.kind !== 'value' && !zone.gap)
      .map(({ path, text }) => shown([...path, text])),
  );
  const walk = (one: JsonSchema, path: string[]) => {
    for (const object of alternatives(one).filter(isTable)) {
      const { properties = {}, additionalProperties: other } = object;
      const isNamed = typeof other === 'object' && Object.keys(other).length > 0;
      // A table of named tables has no line of its own, but its known keys may stand in one.
      const opens = Object.values(properties).some(
        (property) => isOffered(property) && !isTableOnly(property),
      );
      if (opens && path.length > base.length && !given.has(shown(path)))
        found.push({ path, kind: 'table', ...about(one) });
      for (const [name, property] of Object.entries(properties)) {
        if (isOffered(property) && isTableOnly(property)) walk(property, [...path, name]);
      }
      if (isNamed) found.push({ path: [...path, anyName], kind: 'table', ...about(other) });
    }
  };
  for (const one of schemasAt(schema, base)) walk(one, [...base]);
  return found;
}

const shown = (path: readonly string[]) => path.join('.');

const headerSnippet = (path: readonly string[]) =>
  path.map((name) => (name === anyName ? `\${1:name}` : name)).join('.');

/** The keys a table cannot do without, as lines to fill in. */
function requiredKeys(schema: JsonSchema, path: readonly string[]): string {
  let place = 1;
  return objectsAt(schema, path)
    .flatMap(({ required = [], oneOf: [first] = [], properties = {} }) =>
      [...required, ...(first?.required ?? [])].map((name) => {
        place++;
        return `${name} = ${valueSnippet(properties[name] ?? {}, place)}\n`;
      }),
    )
    .join('');
}

/** The values a schema names: those of an enumeration, true and false, and the default. */
function values(schemas: readonly JsonSchema[]): Offer[] {
  const all = schemas.flatMap(alternatives);
  const literals = all.flatMap((one) => [
    ...(one.enum ?? []).map((value) => JSON.stringify(value)),
    ...(one.type === 'boolean' ? ['true', 'false'] : []),
  ]);
  const given = schemas.map(defaultWords).find((one) => one !== undefined && one !== '""');
  const labels = [...new Set([...literals, ...(given === undefined ? [] : [given])])];
  return labels.map((label) => ({
    label,
    kind: 'value' as const,
    insert: label.replace(/[$}\\]/g, '\\$&'),
    detail: label === given ? 'default' : '',
  }));
}

/** A value to fill in, at the given place of a snippet. */
function valueSnippet(schema: JsonSchema, place = 1): string {
  const [first] = alternatives(schema);
  if (first?.enum) return `"\${${place}|${first.enum.join(',')}|}"`;
  switch (first?.type) {
    case 'string':
      return `"$${place}"`;
    case 'boolean':
      return schema.default === true ? `\${${place}|false,true|}` : `\${${place}|true,false|}`;
    case 'array':
      return first.items?.type === 'string' || first.items?.anyOf ? `["$${place}"]` : `[$${place}]`;
    case 'object':
      return `{ $${place} }`;
    default:
      return typeof schema.default === 'number' ? `\${${place}:${schema.default}}` : `$${place}`;
  }
}

const itemsOf = (schema: JsonSchema) =>
  alternatives(schema).flatMap(({ items }) => (items === undefined ? [] : [items]));
