import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerContext } from '@modelcontextprotocol/server';
import { APP_EXTENSION, APP_MIME_TYPE, APP_URI } from '../contract/app.ts';

/** The tools whose answers the page shows. */
const shown: ReadonlySet<string> = new Set(['done', 'status']);

/** What a client declares of itself, as far as it is looked at here. */
export interface Declared {
  elicitation?: { form?: unknown; url?: unknown } | undefined;
  extensions?: Record<string, unknown> | undefined;
}

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** What the client of a request declares: in the newer era with each request, in the older once for its connection. */
export function declaredBy({ mcpReq }: ServerContext, once: Declared | undefined): Declared | undefined {
  const envelope = mcpReq.envelope as Record<string, Declared> | undefined;
  return envelope?.[CLIENT_CAPABILITIES] ?? once;
}

/** Whether a client shows pages of this kind. */
export function showsApps(declared: Declared | undefined): boolean {
  const settings = declared?.extensions?.[APP_EXTENSION] as { mimeTypes?: unknown } | undefined;
  return Array.isArray(settings?.mimeTypes) && settings.mimeTypes.includes(APP_MIME_TYPE);
}

/** A tool as it is listed for a client that shows pages. */
export const withApp = <Tool extends object>(verb: string, tool: Tool): Tool =>
  shown.has(verb) ? { ...tool, _meta: { ui: { resourceUri: APP_URI } } } : tool;

/** The page, as one of the resources of a client that shows it. */
export const appResource = {
  uri: APP_URI,
  name: 'gate',
  title: 'Gate',
  description: 'The page that shows a run of the gate, or where discern stands.',
  mimeType: APP_MIME_TYPE,
};

/** The page: the Gate view's script and styles, in one document that loads nothing. */
export async function appPage() {
  const [script, styles] = await Promise.all(
    ['webview.js', 'webview.css'].map((name) => readFile(join(__dirname, name), 'utf8')),
  );
  const text = `<!DOCTYPE html>
<html lang="en" data-app>
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>Gate</title>
<style>${styles}</style>
</head>
<body>
<script>${script?.replaceAll('</script', '<\\/script')}</script>
</body>
</html>`;
  return { uri: APP_URI, mimeType: APP_MIME_TYPE, text, _meta: { ui: { prefersBorder: true } } };
}
