import { configSchema, type JsonSchema, settingsSchema } from '../contract/config-schema.ts';
import { about, alternatives, isOffered, isTable, isTableOnly } from '../contract/schema-words.ts';

/** The tables and keys of `discern.toml` in Markdown, from its schema; older spellings last. */
export function keyReference(): string {
  const { sections, older } = tablesOf(configSchema());
  return `${sections.join('\n\n')}\n\n## Older spellings\n\nThey are read, with one note each.\n\n${older.join('\n')}`;
}

/** The tables and keys of `discern-vscode.toml`. */
export function settingsReference(): string {
  return tablesOf(settingsSchema()).sections.join('\n\n');
}

function tablesOf(root: JsonSchema): { sections: string[]; older: string[] } {
  const older: string[] = [];
  const sections: string[] = [];
  /** Where each line stood first: what several tables take alike is told once. */
  const told = new Map<string, string>();
  const table = (schema: JsonSchema, path: string, required: readonly string[] = []) => {
    const lines: string[] = [];
    const below: [JsonSchema, string][] = [];
    for (const object of alternatives(schema).filter(isTable)) {
      for (const [name, one] of Object.entries(object.properties ?? {})) {
        const key = path === '' ? name : `${path}.${name}`;
        if (one.deprecated) older.push(`- \`${key}\`: ${one.description}`);
        else if (isOffered(one) && isTableOnly(one)) below.push([one, key]);
        else if (isOffered(one)) lines.push(keyLine(name, one, (object.required ?? required).includes(name)));
      }
      const { additionalProperties: other } = object;
      if (typeof other === 'object' && Object.keys(other).length > 0) below.push([other, `${path}.<name>`]);
    }
    if (path !== '' && (lines.length > 0 || schema.type === undefined)) {
      const keys = toldOnce(lines, path, told).join('\n');
      sections.push(`## [${path}]\n\n${schema.description}${keys && `\n\n${keys}`}`);
    }
    for (const [one, key] of below) table(one, key);
  };
  table(root, '');
  return { sections, older };
}

/** The lines of a table; those that an earlier table has too become one that names it. */
function toldOnce(lines: readonly string[], path: string, told: Map<string, string>): string[] {
  const again = new Map<string, string[]>();
  const fresh: string[] = [];
  for (const line of lines) {
    const first = told.get(line);
    if (first === undefined) {
      told.set(line, path);
      fresh.push(line);
    } else again.set(first, [...(again.get(first) ?? []), line.slice(2, line.indexOf(' ', 2))]);
  }
  return [...fresh, ...[...again].map(([first, names]) => `- ${names.join(', ')}: as in [${first}].`)];
}

function keyLine(name: string, schema: JsonSchema, required: boolean): string {
  const { detail, documentation } = about(schema);
  return `- \`${name}\` (${detail}${required ? ', required' : ''}): ${documentation}`;
}
