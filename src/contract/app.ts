/*
 * The MCP App (the protocol's extension `io.modelcontextprotocol/ui`, revision 2026-01-26): a page that a chat client shows in place of an
 * answer. It is the Gate view's page, read from the server as a resource.
 */

export const APP_EXTENSION = 'io.modelcontextprotocol/ui';
export const APP_REVISION = '2026-01-26';
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';
export const APP_URI = 'ui://discern/gate';
