import assert from 'node:assert/strict';
import fc from 'fast-check';
import { launchable } from '../../src/contract/launchable.ts';
import { commandLine } from '../../src/engine/agents/command-lines.ts';
import { Refusal } from '../../src/engine/call/refusal.ts';

const session = '0f3c7a52-8d1e-4a11-9c1d-2f5f0c6b7a10';

describe('The command line of an agent client', () => {
  it('has the prompt, the model and the session where each client expects them', () => {
    const wish = { prompt: 'Fix it.', model: 'm', session };
    assert.deepEqual(
      launchable.map((client) => commandLine(client, wish).args),
      [
        ['--model=m', `--session-id=${session}`, '--', 'Fix it.'],
        ['--model=m', '--', 'Fix it.'],
        ['--model=m', `--session-id=${session}`, '--interactive=Fix it.'],
        ['--model=m', `--session-id=${session}`, '--prompt-interactive=Fix it.'],
        ['--model=m', '--prompt=Fix it.'],
      ],
    );
  });

  it('goes on with a session by its id, and not at all with Gemini CLI, which has numbers', () => {
    const wish = { resume: 'r', session };
    const args = (client: (typeof launchable)[number]) => commandLine(client, wish).args;
    assert.deepEqual(args('claude'), ['--resume=r']);
    assert.deepEqual(args('codex'), ['resume', '--', 'r']);
    assert.deepEqual(args('copilot'), ['--resume=r']);
    assert.deepEqual(args('opencode'), ['--session=r']);
    assert.throws(
      () => args('gemini'),
      (error) => error instanceof Refusal && error.slug === 'unavailable',
    );
  });

  it('lets no prompt, model or session be taken for an option of its own', () => {
    const word = fc.oneof(
      fc.string(),
      fc.string().map((text) => `--${text}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...launchable), word, word, (client, prompt, model) => {
        const { args } = commandLine(client, { prompt, model, session });
        const end = args.indexOf('--');
        for (const [index, arg] of args.entries()) {
          if (end >= 0 && index > end) continue;
          assert.match(arg, /^--(?:$|(?:model|session-id|interactive|prompt-interactive|prompt)=)/);
        }
        assert.equal(args.filter((arg) => arg === prompt || arg.endsWith(`=${prompt}`)).length >= 1, true);
      }),
    );
  });
});
