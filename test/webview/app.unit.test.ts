import assert from 'node:assert/strict';
import type { Envelope, Step } from '../../src/contract/envelope.ts';
import { answerIn, jobsOf, runOf, standing } from '../../src/webview/app/answer.ts';
import { ChatHost, type HostContext } from '../../src/webview/app/chat-host.ts';

const step = (name: string, stage: Step['stage'], duration_ms: number, rest: Partial<Step> = {}) =>
  ({ name, stage, outcome: 'passed', duration_ms, ...rest }) as Step;

describe('An answer in the page of a chat client', () => {
  it('is drawn by the times of its jobs, one row of stages after the other', () => {
    const jobs = jobsOf([
      step('test', 'test', 30),
      step('a', 'fix', 10),
      step('b', 'fix', 5),
      step('build', 'build', 20),
      step('lint', 'check', 50, { outcome: 'failed', exit_code: 1, output_path: '/o', output_lines: 2 }),
      step('docs', 'scope', 7),
    ]);
    assert.deepEqual(
      jobs.map(({ name, start, end }) => [name, start, end]),
      [
        ['a', 0, 10],
        ['b', 10, 15],
        ['build', 15, 35],
        ['test', 35, 65],
        ['lint', 35, 85],
        ['docs', 85, 92],
      ],
    );
    const { state, exit_code, output_path, output_lines } = jobs[4] ?? {};
    assert.deepEqual([state, exit_code, output_path, output_lines], ['failed', 1, '/o', 2]);
  });

  it('is a run of the gate with what the answer says, and nothing where it is short', () => {
    const short = runOf({ ok: true, verb: 'done' }, 'agent');
    assert.deepEqual([short.jobs, short.elapsed, short.running, short.ok], [[], 0, false, true]);
    assert.deepEqual(short.counts, { passed: 0, failed: 0, cancelled: 0, skipped: 0, timed_out: 0 });
    const answer: Envelope = {
      ok: false,
      verb: 'done',
      error: 'gate_failed',
      message: 'lint failed.',
      steps: [step('lint', 'check', 5, { outcome: 'failed' })],
      diagnostics: [{ tool: 'lint', severity: 'error', message: 'm', reproduce_cmd: 'x' }],
      data: { root: '/r', branch: null, commit: 'c', jobs: { failed: 1 } },
    };
    const run = runOf(answer, 'person');
    assert.deepEqual(
      [run.root, run.branch, run.commit, run.caller, run.error, run.message, run.elapsed, run.counts?.failed],
      ['/r', null, 'c', 'person', 'gate_failed', 'lint failed.', 5, 1],
    );
    assert.equal(run.diagnostics.length, 1);
  });

  it('is no answer of ours where it lacks what each has', () => {
    for (const other of [undefined, null, {}, { structuredContent: { ok: 1 } }, { content: [] }]) {
      assert.equal(answerIn(other), undefined);
    }
    assert.equal(answerIn({ structuredContent: { ok: true, verb: 'done' } })?.verb, 'done');
  });

  it('of status is lines of what stands where', () => {
    const lines = standing({
      ok: true,
      verb: 'status',
      message: 'Nothing to do.',
      data: {
        root: '/r',
        branch: null,
        commit: '0123456789abcdef',
        trunk: 'main',
        behind: 2,
        clean: false,
        changes: { staged: 0, unstaged: 3, untracked: 1 },
        proof: { state: 'stale', reason: 'The trunk moved.' },
        worktrees: [{ root: '/r' }, { root: '/w', branch: 'agent/x' }],
      },
    });
    assert.deepEqual(
      lines.map(({ name, text }) => `${name}: ${text}`),
      [
        'Root: /r',
        'Branch: detached HEAD',
        'Commit: 0123456789',
        'Trunk: main: 0 ahead, 2 behind',
        'Changes: 3 unstaged, 1 untracked',
        'Proof: stale: The trunk moved.',
        'Worktree: agent/x in /w',
        'Next: Nothing to do.',
      ],
    );
    assert.deepEqual(standing({ ok: false, verb: 'status', message: 'No.' }), [
      { name: 'Next', text: 'No.' },
    ]);
  });
});

interface Sent {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

/** A page, what it sends to the window around it, and what it heard. */
function page() {
  const sent: Sent[] = [];
  const heard: unknown[] = [];
  const host = new ChatHost(
    { postMessage: (message: Sent) => void sent.push(message) },
    {
      result: (result) => heard.push(result),
      cancelled: () => heard.push('cancelled'),
      context: (context: HostContext) => heard.push(context.theme),
    },
  );
  return { host, sent, heard };
}

describe('A page in a chat client', () => {
  it('shakes hands first, wears what it is told, and then hears the answer', async () => {
    const { host, sent, heard } = page();
    const opened = host.open('discern');
    assert.deepEqual([sent[0]?.method, sent[0]?.params?.protocolVersion], ['ui/initialize', '2026-01-26']);
    host.receive({
      jsonrpc: '2.0',
      id: sent[0]?.id,
      result: { hostCapabilities: { serverTools: {} }, hostContext: { theme: 'dark' } },
    });
    await opened;
    assert.equal(sent[1]?.method, 'ui/notifications/initialized');
    assert.equal(host.callsTools, true);
    const answer = { structuredContent: { ok: true, verb: 'done' } };
    for (const [method, params] of [
      ['ui/notifications/tool-input', {}],
      ['ui/notifications/tool-result', answer],
      ['ui/notifications/tool-cancelled', {}],
      ['ui/notifications/host-context-changed', { theme: 'light' }],
    ]) {
      host.receive({ jsonrpc: '2.0', method, params });
    }
    assert.deepEqual(heard, ['dark', answer, 'cancelled', 'light']);
  });

  it('calls a tool of the server, and says what the client refused', async () => {
    const { host, sent } = page();
    const called = host.callTool('discern_done', { path: '/r' });
    assert.deepEqual(sent[0]?.params, { name: 'discern_done', arguments: { path: '/r' } });
    host.receive({ jsonrpc: '2.0', id: sent[0]?.id, result: 7 });
    assert.equal(await called, 7);
    const refused = host.callTool('discern_done', {});
    host.receive({
      jsonrpc: '2.0',
      id: sent[1]?.id,
      error: { code: -32_000, message: 'The person said no.' },
    });
    await assert.rejects(refused, /The person said no\./);
  });

  it('answers the client, and passes over what is none of its business', () => {
    const { host, sent, heard } = page();
    host.receive({ jsonrpc: '2.0', id: 5, method: 'ui/resource-teardown', params: {} });
    host.receive({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    host.receive({ jsonrpc: '2.0', id: 6, method: 'sampling/createMessage' });
    for (const other of [null, 7, 'x', {}, { id: 99, result: 1 }, { method: 'other/notification' }]) {
      host.receive(other);
    }
    assert.deepEqual(
      sent.map(({ id, error }) => [id, error?.code]),
      [
        [5, undefined],
        ['p', undefined],
        [6, -32_601],
      ],
    );
    assert.deepEqual(heard, []);
  });
});
