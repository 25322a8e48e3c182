import type { GateRunView, GateViewState, ToGateView } from '../contract/gate-view.ts';
import { h } from './dom.ts';
import { DriftList } from './drift-list.ts';
import { FindingsList } from './findings-list.ts';
import { Header } from './header.ts';
import type { Host } from './host.ts';
import { LiveRegion } from './live.ts';
import { announcements } from './model/announce.ts';
import { frameMs } from './model/axis.ts';
import { driftsOf } from './model/drift.ts';
import { type Finding, findingsOf } from './model/findings.ts';
import type { Row } from './model/jobs.ts';
import { stateToKeep } from './model/memory.ts';
import { Outputs } from './model/outputs.ts';
import { elapsedAt, sameRun } from './model/run.ts';
import { changedScopes } from './model/scopes.ts';
import { standardRows, standardsSummary } from './model/standards.ts';
import { Notes } from './notes.ts';
import { Section } from './section.ts';
import { StandardsList } from './standards-list.ts';
import { Ticker } from './ticker.ts';
import { Timeline } from './timeline.ts';
import { Welcome } from './welcome.ts';

/** The whole view: takes the extension's messages in, and keeps the page and the memory in line with them. */
export class Gate {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #live = new LiveRegion();
  readonly #welcome: Welcome;
  readonly #header: Header;
  readonly #timeline: Timeline;
  readonly #findings: FindingsList;
  readonly #drift: DriftList;
  readonly #standards = new StandardsList();
  readonly #scopes = new Notes();
  readonly #hints = new Notes();
  readonly #sections: Record<
    'Jobs' | 'Findings' | 'Drift' | 'Standards' | 'Changed scopes' | 'Hints',
    Section
  >;
  readonly #body: HTMLElement;
  readonly #outputs: Outputs;
  readonly #ticker = new Ticker(() => this.#paint());
  /** Keys of the jobs and drifts whose detail is shown. */
  readonly #open = new Set<string>();
  #state: GateViewState | undefined;
  #received = 0;
  /** False while what is shown is remembered, and the extension has not said yet what is so now. */
  #current = false;

  constructor(host: Host) {
    this.#host = host;
    const post = host.post.bind(host);
    const keep = () => this.#remember();
    this.#outputs = new Outputs(post);
    this.#welcome = new Welcome(post);
    this.#header = new Header(post);
    const actions = {
      toggle: ({ key }: Row) => this.#toggle(key),
      openInEditor: (job: string) => post({ type: 'openOutput', job }),
    };
    this.#timeline = new Timeline(actions, keep);
    this.#findings = new FindingsList((finding) => this.#choose(finding));
    this.#drift = new DriftList((key) => this.#toggle(key));
    this.#sections = {
      // What is wrong comes first: in a low view it would lie out of sight below the jobs.
      Findings: new Section('Findings', [this.#findings.element], keep),
      Drift: new Section('Drift', [this.#drift.element], keep),
      Jobs: new Section('Jobs', [this.#timeline.element], keep),
      Standards: new Section('Standards', [this.#standards.element], keep),
      'Changed scopes': new Section('Changed scopes', [this.#scopes.element], keep),
      Hints: new Section('Hints', [this.#hints.element], keep),
    };
    const sections = Object.values(this.#sections).map(({ element }) => element);
    this.#body = h('div', { class: 'run' }, this.#header.element, ...sections);
    this.element = h('div', {}, this.#welcome.element, this.#body, this.#live.element);
    this.#welcome.element.hidden = true;
    this.#body.hidden = true;
  }

  /** Paints what was shown last, and asks the extension for what is so now. */
  start(): void {
    const memory = this.#host.recall();
    if (memory) {
      this.#received = memory.received;
      this.#state = memory.state;
      for (const key of memory.open) this.#open.add(key);
      this.#show(memory.state);
      for (const [name, section] of Object.entries(this.#sections))
        section.open = !memory.closed.includes(name);
      this.#timeline.closed = memory.closed;
      requestAnimationFrame(() => window.scrollTo(0, memory.scroll));
    }
    document.addEventListener('scrollend', () => this.#remember());
    this.#host.listen((message) => this.#receive(message));
    this.#host.post({ type: 'ready' });
  }

  #receive(message: ToGateView): void {
    const now = Date.now();
    if (message.type === 'output') {
      if (this.#outputs.receive(message.job, message, now)) this.#showDetails();
      return;
    }
    if (message.type !== 'state') return;
    const before = this.#state;
    const { state } = message;
    if (!sameRun(before?.run, state.run)) {
      this.#open.clear();
      this.#outputs.forget();
    }
    this.#state = state;
    this.#received = now;
    this.#current = true;
    this.#show(state);
    this.#wantOutputs();
    this.#live.say(announcements(before, state));
    this.#remember();
  }

  #show(state: GateViewState): void {
    const { run } = state;
    this.#welcome.element.hidden = run !== undefined;
    this.#body.hidden = run === undefined;
    this.#welcome.update(state);
    if (run) {
      this.#header.update(state, run);
      this.#showRun(run);
    }
    this.#paint();
    this.#ticker.running = run?.running === true;
  }

  #showRun(run: GateRunView): void {
    const sections = this.#sections;
    this.#timeline.update(run);
    sections.Jobs.update(run.jobs.length);
    const findings = findingsOf(run);
    this.#findings.update(findings);
    sections.Findings.update(run.diagnostics.length, findings.summary);
    sections.Drift.update(run.drift.length);
    const standards = standardRows(run.standards);
    this.#standards.update(standards);
    sections.Standards.update(standards.length, standardsSummary(standards));
    const scopes = changedScopes(run.scopes);
    this.#scopes.update(scopes);
    sections['Changed scopes'].update(scopes.length);
    this.#hints.update(run.hints.map((text, index) => ({ key: `${index} ${text}`, text })));
    sections.Hints.update(run.hints.length);
    this.#showDetails();
  }

  #showDetails(): void {
    const run = this.#state?.run;
    if (!run) return;
    this.#timeline.showOutputs(this.#open, this.#outputs.texts);
    this.#drift.update(driftsOf(run.drift), this.#open);
  }

  /** Draws everything that changes with time alone; answers in how many milliseconds it will look different. */
  #paint(): number {
    const run = this.#state?.run;
    if (!run) return 0;
    const elapsed = elapsedAt(run, this.#received, Date.now());
    this.#header.paint(run, elapsed);
    this.#timeline.paint(run, elapsed);
    if (run.running) this.#wantOutputs();
    return frameMs(elapsed);
  }

  #wantOutputs(): void {
    if (!this.#current) return;
    const wanted = [...this.#timeline.rows()].filter(({ key }) => this.#open.has(key));
    this.#outputs.want(
      wanted.map(({ job }) => job),
      Date.now(),
    );
  }

  #toggle(key: string): void {
    if (!this.#open.delete(key)) this.#open.add(key);
    this.#showDetails();
    this.#wantOutputs();
    this.#remember();
  }

  #choose({ index, leadsTo }: Finding): void {
    if (leadsTo?.kind === 'place') this.#host.post({ type: 'open', diagnostic: index });
    if (leadsTo?.kind !== 'job') return;
    const row = [...this.#timeline.rows()].find(({ job }) => job.name === leadsTo.name);
    if (!row) return;
    if (!this.#open.has(row.key)) this.#toggle(row.key);
    this.#sections.Jobs.open = true;
    this.#timeline.reveal(row);
  }

  #remember(): void {
    if (!this.#state) return;
    const sections = Object.entries(this.#sections).flatMap(([name, { open }]) => (open ? [] : [name]));
    this.#host.remember({
      version: 2,
      state: stateToKeep(this.#state),
      received: this.#received,
      open: [...this.#open],
      closed: [...sections, ...this.#timeline.closed],
      scroll: window.scrollY,
    });
  }
}
