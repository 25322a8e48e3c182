import type { VscodeTreeItem } from '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { html, render, type TemplateResult } from 'lit/html.js';
import type { GateRunView, GateViewState, ToGateView } from '../contract/gate-view.ts';
import { header } from './header.ts';
import type { Host } from './host.ts';
import { driftList, findingsList, notes, pastList, standardsList } from './lists.ts';
import { announcements } from './model/announce.ts';
import type { Link } from './model/ansi.ts';
import { frameMs, spanOf, ticks } from './model/axis.ts';
import { driftsOf } from './model/drift.ts';
import { type Finding, findingsOf } from './model/findings.ts';
import { pastRow } from './model/history.ts';
import { type Row, timelineOf } from './model/jobs.ts';
import { stateToKeep } from './model/memory.ts';
import { Outputs } from './model/outputs.ts';
import { elapsedAt, sameRun } from './model/run.ts';
import { changedScopes } from './model/scopes.ts';
import { standardRows, standardsSummary } from './model/standards.ts';
import { Search } from './search.ts';
import { type Section, section } from './section.ts';
import { Ticker } from './ticker.ts';
import { timeline } from './timeline.ts';
import { keepingReach } from './tree.ts';
import { welcome } from './welcome.ts';

/** How many announcements stay in the page; a screen reader has read the older ones. */
const KEPT = 8;

/** Room a mark's label needs on the axis, in pixels. */
const TICK_ROOM = 44;

/** Everything that is worked out of a run once, and not again for each frame. */
const modelsOf = (run: GateRunView) => ({
  jobs: timelineOf(run.jobs),
  findings: findingsOf(run),
  drift: driftsOf(run.drift),
  standards: standardRows(run.standards),
  scopes: changedScopes(run.scopes),
  hints: run.hints.map((text, index) => ({ key: `${index} ${text}`, text })),
});
type Models = ReturnType<typeof modelsOf>;

/** The whole view: takes the extension's messages in, and keeps the page and the memory in line with them. */
export class Gate {
  readonly element = document.createElement('div');
  readonly #host: Host;
  readonly #outputs: Outputs;
  readonly #ticker = new Ticker(() => this.#paint());
  /** Keys of the jobs and drifts whose detail is shown. */
  readonly #open = new Set<string>();
  /** Names of the sections and stages that are closed. */
  readonly #closed = new Set<string>();
  #state: GateViewState | undefined;
  #models: Models | undefined;
  #received = 0;
  /** False while what is shown is remembered, and the extension has not said yet what is so now. */
  #current = false;
  /** The call whose cancelling was asked for. */
  #cancelled: number | undefined;
  /** What was announced last, each under a number of its own. */
  #said: { key: number; text: string }[] = [];
  /** How many marks the axis has room for. */
  #mostTicks = 4;

  readonly #resize = new ResizeObserver(([entry]) => {
    this.#mostTicks = Math.max(2, Math.floor((entry?.contentRect.width ?? 0) / TICK_ROOM));
    this.#draw();
  });
  // The component fires nothing when an item with items opens or closes.
  readonly #stages = new MutationObserver((changes) => {
    for (const { target } of changes) this.#noteStage(target as VscodeTreeItem);
  });
  readonly #actions = {
    toggle: (key: string) => this.#toggle(key),
    openInEditor: (job: string) => this.#host.post({ type: 'openOutput', job }),
    axis: (axis?: Element) => {
      this.#resize.disconnect();
      if (axis) this.#resize.observe(axis);
    },
    tree: (tree?: Element) => {
      this.#stages.disconnect();
      if (tree) this.#stages.observe(tree, { subtree: true, attributeFilter: ['open'] });
    },
    cancel: () => {
      this.#cancelled = this.#state?.run?.call;
      this.#draw();
      this.#host.post({ type: 'cancel' });
    },
    follow: (link: Link) => this.#follow(link),
    search: undefined as Search | undefined,
    post: (message: Parameters<Host['post']>[0]) => this.#host.post(message),
  };

  constructor(host: Host) {
    this.#host = host;
    this.#outputs = new Outputs(this.#actions.post);
  }

  /** Paints what was shown last, and asks the extension for what is so now. */
  start(): void {
    const memory = this.#host.recall();
    if (memory) {
      this.#received = memory.received;
      for (const key of memory.open) this.#open.add(key);
      for (const name of memory.closed) this.#closed.add(name);
      this.#show(memory.state);
      requestAnimationFrame(() => window.scrollTo(0, memory.scroll));
    } else this.#draw();
    document.addEventListener('scrollend', () => this.#remember());
    this.#host.listen((message) => this.#receive(message));
    this.#host.post({ type: 'ready' });
  }

  #receive(message: ToGateView): void {
    const now = Date.now();
    if (message.type === 'output') {
      if (this.#outputs.receive(message.job, message, now)) this.#draw();
      return;
    }
    if (message.type !== 'state') return;
    const before = this.#state;
    const { state } = message;
    if (!sameRun(before?.run, state.run)) {
      this.#open.clear();
      this.#outputs.forget();
    }
    this.#received = now;
    this.#current = true;
    this.#say(announcements(before, state));
    this.#show(state);
    this.#wantOutputs();
    this.#remember();
  }

  #show(state: GateViewState): void {
    this.#state = state;
    if (state.roomy) this.#actions.search ??= new Search(() => this.#draw());
    this.#models = state.run && modelsOf(state.run);
    keepingReach(this.element, () => this.#paint());
    this.#ticker.running = state.run?.running === true;
  }

  #say(sentences: readonly string[]): void {
    const next = (this.#said.at(-1)?.key ?? 0) + 1;
    const said = sentences.map((text, index) => ({ key: next + index, text }));
    this.#said = [...this.#said, ...said].slice(-KEPT);
  }

  /** Draws the page as it is now; answers in how many milliseconds it will look different. */
  #paint(): number {
    this.#draw();
    const run = this.#state?.run;
    if (!run) return 0;
    if (run.running) this.#wantOutputs();
    return frameMs(this.#elapsed(run));
  }

  #draw(): void {
    const state = this.#state;
    const shown = state && this.#shown(state);
    const said = repeat(
      this.#said,
      ({ key }) => key,
      ({ text }) => html`<p>${text}</p>`,
    );
    render(
      html`${shown}<div class="unseen" role="log" aria-live="polite" aria-label="Progress of the gate">${said}</div>`,
      this.element,
    );
  }

  #shown(state: GateViewState): TemplateResult {
    const { run } = state;
    if (!run || !this.#models) return welcome(state, this.#actions.post);
    const elapsed = this.#elapsed(run);
    const cancelling = this.#cancelled === run.call;
    return html`<div class=${state.roomy ? 'run roomy' : 'run'}>
      ${header(state, run, { elapsed, cancelling }, this.#actions)}
      ${this.#sections(state, run, this.#models, elapsed).map((one) => this.#section(one))}
    </div>`;
  }

  #section(one: Section): TemplateResult {
    const { heading } = one;
    return section(one, !this.#closed.has(heading), (open) => this.#noteOpen(heading, open));
  }

  /** What is wrong comes first: in a low view it would lie out of sight below the jobs. */
  #sections(
    { roomy, history = [] }: GateViewState,
    run: GateRunView,
    models: Models,
    elapsed: number,
  ): Section[] {
    const { findings, drift, standards, scopes, hints } = models;
    const wrong: Section[] = [
      {
        heading: 'Findings',
        number: run.diagnostics.length,
        description: findings.summary,
        content: guard([findings], () => findingsList(findings, (one) => this.#choose(one))),
      },
      {
        heading: 'Drift',
        number: run.drift.length,
        content: guard([drift, [...this.#open].join('\n')], () =>
          driftList(drift, this.#open, this.#actions.toggle),
        ),
      },
    ];
    if (!roomy) return wrong;
    return [
      ...wrong,
      { heading: 'Jobs', number: run.jobs.length, content: this.#timeline(run, models, elapsed) },
      {
        heading: 'Standards',
        number: standards.length,
        description: standardsSummary(standards),
        content: guard([standards], () => standardsList(standards)),
      },
      { heading: 'Changed scopes', number: scopes.length, content: guard([scopes], () => notes(scopes)) },
      { heading: 'Hints', number: hints.length, content: guard([hints], () => notes(hints)) },
      {
        heading: 'Runs',
        number: history.length,
        description: 'in this window',
        content: guard([JSON.stringify(history), run.call], () =>
          pastList(history.map(pastRow), run.call, (call) => this.#host.post({ type: 'showRun', call })),
        ),
      },
    ];
  }

  #timeline(run: GateRunView, { jobs }: Models, elapsed: number): TemplateResult {
    const span = spanOf(run, elapsed);
    const shown = {
      elapsed,
      span,
      marks: ticks(span, this.#mostTicks),
      open: this.#open,
      outputs: this.#outputs.texts,
      closed: this.#closed,
    };
    return timeline(jobs, shown, this.#actions);
  }

  #elapsed(run: GateRunView): number {
    return elapsedAt(run, this.#received, Date.now());
  }

  #rows(): Row[] {
    return this.#models?.jobs.groups.flatMap(({ rows }) => rows) ?? [];
  }

  #wantOutputs(): void {
    if (!this.#current) return;
    const wanted = this.#rows().filter(({ key }) => this.#open.has(key));
    this.#outputs.want(
      wanted.map(({ job }) => job),
      Date.now(),
    );
  }

  #toggle(key: string): void {
    if (!this.#open.delete(key)) this.#open.add(key);
    this.#draw();
    this.#wantOutputs();
    this.#remember();
  }

  #choose({ index, leadsTo }: Finding): void {
    if (leadsTo?.kind === 'place') this.#host.post({ type: 'open', diagnostic: index });
    if (leadsTo?.kind !== 'job') return;
    if (!this.#state?.roomy) {
      this.#actions.openInEditor(leadsTo.name);
      return;
    }
    const row = this.#rows().find(({ job }) => job.name === leadsTo.name);
    if (!row) return;
    for (const name of ['Jobs', row.job.stage]) this.#closed.delete(name);
    if (!this.#open.has(row.key)) this.#toggle(row.key);
    else this.#draw();
    this.#reveal(row.key);
  }

  #follow(link: Link): void {
    if (link.kind === 'url') {
      this.#host.post({ type: 'openUrl', url: link.url });
      return;
    }
    const { file, line, column } = link;
    this.#host.post({ type: 'openPlace', file, line, ...(column !== undefined && { column }) });
  }

  /** Brings a job's row into view and gives it the focus. */
  #reveal(key: string): void {
    const item = this.element.querySelector<VscodeTreeItem>(`[data-key="${CSS.escape(key)}"]`);
    if (!item) return;
    item.active = true;
    void item.updateComplete.then(() => {
      item.focus();
      item.scrollIntoView({ block: 'nearest' });
    });
  }

  #noteStage({ dataset, open }: VscodeTreeItem): void {
    if (dataset.stage !== undefined) this.#noteOpen(dataset.stage, open);
  }

  /** A person opened or closed a section or a stage. */
  #noteOpen(name: string, open: boolean): void {
    if (this.#closed.has(name) !== open) return;
    if (open) this.#closed.delete(name);
    else this.#closed.add(name);
    this.#draw();
    this.#remember();
  }

  #remember(): void {
    if (!this.#state) return;
    this.#host.remember({
      version: 3,
      state: stateToKeep(this.#state),
      received: this.#received,
      open: [...this.#open],
      closed: [...this.#closed],
      scroll: window.scrollY,
    });
  }
}
