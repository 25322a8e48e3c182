import type { ServerResponse } from 'node:http';

/** What a scripted model says: a tool call by the client's own name for the tool, or words. */
export type Answer =
  | { tool: string; input: Record<string, unknown>; namespace?: string | undefined }
  | { say: string };

/** What a request of any wire comes to. */
export interface WireRequest {
  /** Does it offer tools? Side requests (titles, summaries) do not. */
  offersTools: boolean;
  /** The texts of the tool results in the conversation, oldest first. */
  results: string[];
  /** Does the client want the answer as a stream of events? */
  streams: boolean;
}

interface WireFormat {
  read(path: string, body: unknown): WireRequest;
  write(response: ServerResponse, answer: Answer, asked: WireRequest, id: string): void;
  /** Answers requests that are no turn at all, such as counting tokens; true when it did. */
  aside?(path: string, response: ServerResponse): boolean;
}

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The text in whatever form a wire carries content. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  const { text, content: inner, output, tool_name: found } = content as Json;
  return textOf(text ?? inner ?? output ?? found ?? '');
}

function events(response: ServerResponse, named: [name: string | undefined, data: unknown][]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [name, data] of named) {
    if (name !== undefined) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Anthropic Messages. */
const messages: WireFormat = {
  aside(path, response) {
    if (path.includes('/count_tokens')) json(response, { input_tokens: 1 });
    else if (!path.includes('/messages')) json(response, {});
    else return false;
    return true;
  },
  read(_path, body) {
    const { tools, messages: said, stream } = body as Json;
    const results = list(said)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => textOf(content));
    return { offersTools: list(tools).length > 0, results, streams: stream === true };
  },
  write(response, answer, { streams }, id) {
    const calls = 'tool' in answer;
    const block = calls
      ? { type: 'tool_use', id: `toolu_${id}`, name: answer.tool, input: answer.input }
      : { type: 'text', text: answer.say };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const stop_reason = calls ? 'tool_use' : 'end_turn';
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'scripted' };
    if (!streams) return json(response, { ...message, content: [block], stop_reason, usage });
    const delta = calls
      ? { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) }
      : { type: 'text_delta', text: answer.say };
    const opening = calls ? { ...block, input: {} } : { type: 'text', text: '' };
    const parts: Json[] = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: opening },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
    events(
      response,
      parts.map((part) => [String(part.type), part]),
    );
  },
};

/** OpenAI Responses. */
const responses: WireFormat = {
  read(_path, body) {
    const { tools, input, stream } = body as Json;
    const results = list(input)
      .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .map(({ output }) => textOf(output));
    return { offersTools: list(tools).length > 0, results, streams: stream === true };
  },
  write(response, answer, _asked, id) {
    const item =
      'tool' in answer
        ? {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: answer.tool,
            ...(answer.namespace !== undefined && { namespace: answer.namespace }),
            arguments: JSON.stringify(answer.input),
          }
        : {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: answer.say }],
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const whole = { id: `resp_${id}`, usage };
    const parts: Json[] = [
      { type: 'response.created', response: { id: whole.id } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ];
    events(
      response,
      parts.map((part) => [String(part.type), part]),
    );
  },
};

/** OpenAI chat completions. */
const completions: WireFormat = {
  read(_path, body) {
    const { tools, messages: said, stream } = body as Json;
    const results = list(said)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => textOf(content));
    return { offersTools: list(tools).length > 0, results, streams: stream === true };
  },
  write(response, answer, { streams }, id) {
    const calls = 'tool' in answer;
    const finish_reason = calls ? 'tool_calls' : 'stop';
    const said = calls
      ? {
          tool_calls: [
            {
              index: 0,
              id: `call_${id}`,
              type: 'function',
              function: { name: answer.tool, arguments: JSON.stringify(answer.input) },
            },
          ],
        }
      : { content: answer.say };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const about = { id: `chat_${id}`, created: 1, model: 'scripted' };
    const message = { role: 'assistant', content: null, ...said };
    if (!streams) {
      const choices = [{ index: 0, message, finish_reason }];
      return json(response, { ...about, object: 'chat.completion', choices, usage });
    }
    const chunk = (delta: unknown, finish: string | null) => ({
      ...about,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    events(response, [
      [undefined, chunk({ role: 'assistant', ...said }, null)],
      [undefined, { ...chunk({}, finish_reason), usage }],
      [undefined, '[DONE]'],
    ]);
  },
};

/** Gemini's generateContent. */
const generate: WireFormat = {
  aside(path, response) {
    if (path.includes('enerateContent')) return false;
    json(response, path.includes('countTokens') ? { totalTokens: 1 } : {});
    return true;
  },
  read(path, body) {
    const { tools, contents } = body as Json;
    const results = list(contents)
      .flatMap(({ parts }) => list(parts))
      .flatMap(({ functionResponse }) => (functionResponse ? [functionResponse as Json] : []))
      .map(({ response }) => textOf(response) || JSON.stringify(response));
    return {
      offersTools: list(tools).some(({ functionDeclarations }) => list(functionDeclarations).length > 0),
      results,
      streams: path.includes('stream'),
    };
  },
  write(response, answer, { streams }) {
    const part =
      'tool' in answer ? { functionCall: { name: answer.tool, args: answer.input } } : { text: answer.say };
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'scripted',
    };
    if (streams) events(response, [[undefined, whole]]);
    else json(response, whole);
  },
};

export const wires = { messages, responses, completions, generate };
export type Wire = keyof typeof wires;
