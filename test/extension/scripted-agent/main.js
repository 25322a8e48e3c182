// An agent in VS Code's chat without a model behind it: `@scripted 1 start {"name":"x"}` calls our tool `start` with
// these arguments, as an agent's model would ask for, and answers under the same number with what came back.
const vscode = require('vscode');

/** VS Code hands a request to a participant only together with a model, so there is one, which is never asked anything. */
const provider = {
  provideLanguageModelChatInformation: () => [
    {
      id: 'scripted-model',
      name: 'Scripted model',
      family: 'scripted',
      version: '1',
      maxInputTokens: 100_000,
      maxOutputTokens: 10_000,
      isUserSelectable: true,
      capabilities: { toolCalling: true },
    },
  ],
  provideLanguageModelChatResponse: () => Promise.reject(new Error('This model has nothing to say.')),
  provideTokenCount: () => Promise.resolve(1),
};

/** Our tool of this name, once VS Code has started its server. */
async function toolNamed(verb, token) {
  while (!token.isCancellationRequested) {
    const found = vscode.lm.tools.find(({ name }) => name.endsWith(`_discern_${verb}`));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`No tool ${verb}: ${vscode.lm.tools.map(({ name }) => name).join(', ')}`);
}

/** What scripts/vscode/chat.mjs reads: the verdict, and the paths a test asks about, as one line of JSON. */
async function answer(request, _context, stream, token) {
  const [, turn, verb, args] = /^(\d+) (\w+)\s*(.*)$/s.exec(request.prompt.trim());
  if (verb === 'tools') {
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.includes('_discern_'));
    stream.markdown(`\`${JSON.stringify({ turn, ok: true, names })}\``);
    return;
  }
  const tool = await toolNamed(verb, token);
  const result = await vscode.lm.invokeTool(
    tool.name,
    { input: args ? JSON.parse(args) : {}, toolInvocationToken: request.toolInvocationToken },
    token,
  );
  const text = result.content.map((part) => part.value ?? '').join('');
  const { ok, error, data, message } = JSON.parse(text.slice(text.indexOf('{')));
  const { root, path, held, divergence } = data ?? {};
  const said = { turn, ok, error, root, path, held: held?.root, divergence };
  // The words only where a test asks what they begin with: a code span ends at a backtick.
  if (divergence !== undefined) said.message = message.replaceAll('`', '');
  stream.markdown(`\`${JSON.stringify(said)}\``);
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('scripted', provider),
    vscode.chat.createChatParticipant('scripted.agent', answer),
  );
  // Until somebody asks for models there are none, and VS Code answers a first request "Language model unavailable".
  return vscode.lm.selectChatModels({ vendor: 'scripted' });
};
