import { html, render } from 'lit/html.js';
import type { Envelope } from '../../contract/envelope.ts';
import { gateVerbs } from '../../contract/gate-verbs.ts';
import type { FromGateView, GateRunView, ToGateView } from '../../contract/gate-view.ts';
import { Gate } from '../gate.ts';
import type { Host } from '../host.ts';
import { answerIn, runOf, standing } from './answer.ts';
import { ChatHost, type HostContext } from './chat-host.ts';

/** The page as a chat client shows it in place of an answer (MCP Apps): a run of the gate as the Gate view draws it, or where discern stands. */
export class App implements Host {
  readonly #body: HTMLElement;
  readonly #chat: ChatHost;
  readonly #gate: Gate;
  readonly #standing = document.createElement('dl');
  readonly #sizes = new ResizeObserver(() => {
    const { offsetWidth, offsetHeight } = document.documentElement;
    this.#chat.size(offsetWidth, offsetHeight);
  });
  #receive: (message: ToGateView) => void = () => undefined;
  #run: GateRunView | undefined;

  constructor(body: HTMLElement) {
    this.#body = body;
    this.#standing.className = 'standing';
    this.#gate = new Gate(this);
    this.#chat = new ChatHost(window.parent, {
      result: (result) => this.#show(answerIn(result), 'agent'),
      cancelled: () => this.#note('The call was cancelled.'),
      context: (context) => wear(context),
    });
    window.addEventListener('message', ({ source, data }) => {
      if (source === window.parent) this.#chat.receive(data);
    });
  }

  start(): void {
    this.#gate.start();
    this.#body.replaceChildren(this.#standing);
    this.#chat.open('discern').then(
      () => this.#sizes.observe(document.documentElement),
      (error: Error) => this.#note(error.message),
    );
  }

  #show(answer: Envelope | undefined, caller: GateRunView['caller']): void {
    if (answer === undefined) this.#note('This answer cannot be drawn.');
    else if (!(gateVerbs as readonly string[]).includes(answer.verb)) this.#lines(standing(answer));
    else this.#draw(runOf(answer, caller));
  }

  #draw(run: GateRunView): void {
    this.#run = run;
    this.#body.replaceChildren(this.#gate.element);
    this.#receive({ type: 'state', state: { held: run.root, run } });
  }

  #note(text: string): void {
    this.#lines([{ name: 'Note', text }]);
  }

  #lines(lines: readonly { name: string; text: string }[]): void {
    render(
      lines.map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`),
      this.#standing,
    );
    this.#body.replaceChildren(this.#standing);
  }

  /** What the Gate view wants: to run again is a call of the tool, and where output lies can be said; files cannot be opened. */
  post(message: FromGateView): void {
    if (message.type === 'run') this.#again(message.verb);
    if (message.type !== 'output') return;
    const job = this.#run?.jobs.find(({ name }) => name === message.job);
    const text = job?.output_path === undefined ? '' : `Its output is in ${job.output_path}`;
    this.#receive({ type: 'output', job: message.job, text, cut: 0 });
  }

  #again(verb: string): void {
    const path = this.#run?.root;
    if (!this.#chat.callsTools) {
      this.#note('This client lets no page run anything: ask for it in the chat.');
      return;
    }
    this.#chat.callTool(`discern_${verb}`, { ...(path && { path }) }).then(
      (result) => this.#show(answerIn(result), 'person'),
      (error: Error) => this.#note(error.message),
    );
  }

  recall(): undefined {
    return undefined;
  }

  remember(): void {
    // A chat client keeps nothing for a page: it sends the answer again.
  }

  listen(receive: (message: ToGateView) => void): void {
    this.#receive = receive;
  }
}

/** Wears the client's colours. */
function wear({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (value !== undefined && name.startsWith('--')) style.setProperty(name, value);
  }
}
