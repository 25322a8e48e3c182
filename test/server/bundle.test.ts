import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serverFile } from '../support/server.ts';

const read = (name: string) => readFileSync(join(dirname(serverFile), name), 'utf8');

describe('The server’s files', () => {
  it('load nothing of HTTP to serve over stdio', () => {
    const [server, http] = [read('server.js'), read('http.js')];
    for (const words of ['This MCP handler has been closed', 'WWW-Authenticate', 'require("node:http")']) {
      assert.ok(http.includes(words), words);
    }
    // The window socket is node:net's.
    assert.doesNotMatch(
      server,
      /This MCP handler has been closed|WWW-Authenticate|require\("(?:node:)?https?2?"\)/,
    );
    assert.match(server, /import\("\.\/http\.js"\)|require\("\.\/http\.js"\)/);
  });

  it('hold no web framework, and each package once', () => {
    const http = read('http.js');
    assert.doesNotMatch(http, /hono/i);
    assert.ok(http.length < 400_000, `${http.length} characters`);
  });
});
