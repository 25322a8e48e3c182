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
    if (path !== '' && lines.length > 0) {
      sections.push(`## [${path}]\n\n${schema.description}\n\n${lines.join('\n')}`);
    }
    for (const [one, key] of below) table(one, key);
  };
  table(root, '');
  return { sections, older };
}

function keyLine(name: string, schema: JsonSchema, required: boolean): string {
  const { detail, documentation } = about(schema);
  return `- \`${name}\` (${detail}${required ? ', required' : ''}): ${documentation}`;
}
