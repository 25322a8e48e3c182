import { createServer, request } from 'node:http';

/**
 * A way to the server over which a suite finds the tools, resources and prompts it expects of a server made for it: each name of
 * its own is another name of something this server has. Nothing else of a message is changed, and answers pass as they are. It
 * adds the secret, which the suites cannot send. `names` is `{ tools, resources, prompts }`. Resolves with its URL and its end.
 */
export async function standIn(url, secret, names) {
  const server = createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const { body, headers } = renamed(Buffer.concat(chunks), req.headers, names);
      const onward = request(
        {
          host: url.hostname,
          port: url.port,
          path: req.url,
          method: req.method,
          headers: { ...headers, authorization: `Bearer ${secret}` },
        },
        (answer) => {
          res.writeHead(answer.statusCode, answer.headers);
          answer.pipe(res);
        },
      );
      onward.on('error', () => res.destroy());
      res.on('close', () => onward.destroy());
      onward.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${url.pathname}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A request by this server's names. */
function renamed(body, headers, { tools, resources, prompts }) {
  const message = parsed(body);
  const { method, params } = message ?? {};
  const kind = { 'tools/call': tools, 'resources/read': resources, 'prompts/get': prompts }[method];
  const key = method === 'resources/read' ? 'uri' : 'name';
  const ours = kind?.[params?.[key]];
  if (ours === undefined) return { body, headers };
  const { name, arguments: given, answers } = typeof ours === 'function' ? ours(params) : ours;
  const theirs = Object.values(params.inputResponses ?? {})[0];
  const changed = {
    ...message,
    params: {
      ...params,
      [key]: name,
      ...(given && { arguments: given }),
      ...(answers && theirs && { inputResponses: { ...params.inputResponses, [answers]: theirs } }),
    },
  };
  const text = JSON.stringify(changed);
  return {
    body: text,
    headers: {
      ...headers,
      'content-length': String(Buffer.byteLength(text)),
      ...(headers['mcp-name'] === params[key] && { 'mcp-name': name }),
    },
  };
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    // A suite sends what is no JSON on purpose.
    return undefined;
  }
}
