import type { JsonSchema } from '../../contract/config-schema.ts';
import { about, isTableOnly, objectsAt, schemasAt } from '../../contract/schema-words.ts';
import type { Zone } from './scan.ts';

/** What a hover says of the key or value at a zone, in Markdown; nothing for what the format does not know. */
export function explanation(schema: JsonSchema, zone: Zone): string | undefined {
  if (zone.gap) return undefined;
  const path = zone.kind === 'value' ? zone.path : [...zone.path, zone.text];
  const [found] = schemasAt(schema, path);
  if (!found) return undefined;
  const name = isTableOnly(found) ? `[${path.join('.')}]` : path.slice(-1).join('');
  const { detail, documentation = '' } = about(found);
  return `\`${name}\`: ${detail}${isRequired(schema, path) ? ', required' : ''}\n\n${documentation}`;
}

function isRequired(schema: JsonSchema, path: readonly string[]): boolean {
  const name = path.at(-1) ?? '';
  const owners = objectsAt(schema, path.slice(0, -1)).filter(({ properties = {} }) =>
    Object.hasOwn(properties, name),
  );
  return owners.length > 0 && owners.every(({ required = [] }) => required.includes(name));
}
