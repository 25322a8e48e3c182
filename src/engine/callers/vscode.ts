import { type Source, sessionId } from './standing.ts';

/** VS Code: a call names its conversation, which is also the session its hooks name. It keeps no record of a directory. */
export const vscode: Source = {
  client: 'vscode',
  session: ({ conversation }) => sessionId(conversation),
  recorded: async () => [],
};
