import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { JsonSchema } from '../contract/config-schema.ts';
import { explanation } from './toml/explain.ts';
import { type Offer, offers } from './toml/offer.ts';
import { scan, type Zone, zoneAt } from './toml/scan.ts';

const kinds: Record<Offer['kind'], vscode.CompletionItemKind> = {
  table: vscode.CompletionItemKind.Module,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
};

/** What VS Code asks of a language, for our configuration files, answered from their JSON Schemas. */
export class ConfigLanguage {
  static readonly #made = new Map<string, Promise<ConfigLanguage>>();
  readonly #schema: JsonSchema;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  /** The language with the schema in this file, which is read once. */
  static of(schemaFile: string): Promise<ConfigLanguage> {
    const made =
      ConfigLanguage.#made.get(schemaFile) ??
      readFile(schemaFile, 'utf8').then((text) => new ConfigLanguage(JSON.parse(text) as JsonSchema));
    ConfigLanguage.#made.set(schemaFile, made);
    return made;
  }

  complete(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
    const zones = scan(document.getText());
    const zone = zoneAt(zones, document.offsetAt(position));
    if (!zone) return [];
    const range = zone.gap ? new vscode.Range(position, position) : rangeOf(document, zone);
    return offers(this.#schema, zones, zone).map((offer, index) => {
      const item = new vscode.CompletionItem(offer.label, kinds[offer.kind]);
      item.insertText = new vscode.SnippetString(offer.insert);
      item.range = range;
      item.detail = offer.detail;
      // In the order of the format: what a table needs first stands first.
      item.sortText = String(index).padStart(3, '0');
      if (offer.documentation !== undefined) item.documentation = offer.documentation;
      if (offer.filter !== undefined) item.filterText = offer.filter;
      return item;
    });
  }

  hover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const zone = zoneAt(scan(document.getText()), document.offsetAt(position));
    const said = zone && explanation(this.#schema, zone);
    return said === undefined
      ? undefined
      : new vscode.Hover(new vscode.MarkdownString(said), rangeOf(document, zone as Zone));
  }
}

function rangeOf(document: vscode.TextDocument, { start, end }: Zone): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
