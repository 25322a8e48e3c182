import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';

/** What a TOML text says, as plain values. Only for texts of our own: the parser's reading is not safe for strangers'. */
export const valuesOf = (text: string): unknown => getStaticTOMLValue(parseTOML(text));

/** Writes plain values as TOML, every table inline, so that any value fits anywhere. */
export function tomlOf(root: Record<string, unknown>): string {
  return Object.entries(root)
    .map(([key, value]) => `${quote(key)} = ${inline(value)}\n`)
    .join('');
}

/** A basic string: JSON's form, with what JSON leaves open escaped too. */
const quote = (text: string) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

function inline(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, one]) => `${quote(key)} = ${inline(one)}`)
      .join(', ')}}`;
  }
  return String(value);
}
