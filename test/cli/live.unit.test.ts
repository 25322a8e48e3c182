import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { Ink } from '../../src/cli/ink.ts';
import { LiveProgress } from '../../src/cli/live.ts';
import { outcomes } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';

/** As much of a terminal as the block uses: it refuses every sequence it does not know. */
class Screen {
  readonly rows: number;
  readonly lines: string[] = [''];
  #row = 0;
  #column = 0;
  #wraps = true;

  constructor(rows: number) {
    this.rows = rows;
  }

  write(text: string): boolean {
    for (const [token] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|[\s\S]/gu)) this.#take(token);
    return true;
  }

  #take(token: string): void {
    const [, count = '1', kind] = /^\u001b\[(\??\d*)([A-Za-z])$/.exec(token) ?? [];
    if (token === '\n') {
      this.#row++;
      this.#column = 0;
      this.lines[this.#row] ??= '';
    } else if (token === '\r') this.#column = 0;
    else if (kind === 'A') {
      const to = this.#row - Number(count);
      assert.ok(to >= 0, 'the cursor never leaves what was written');
      assert.ok(this.lines.length - to <= this.rows, 'the cursor never goes to what has scrolled away');
      this.#row = to;
    } else if (kind === 'K') this.lines[this.#row] = this.#kept();
    else if (kind === 'J') this.lines.splice(this.#row, Number.POSITIVE_INFINITY, this.#kept());
    else if (kind === 'l' || kind === 'h') this.#wraps = kind === 'h';
    else if (kind === 'm') return;
    else {
      assert.notEqual(token[0], '\u001b', `unknown sequence ${JSON.stringify(token)}`);
      assert.equal(this.#wraps, false, 'text is only written while lines do not wrap');
      this.lines[this.#row] = this.#kept() + token;
      this.#column += token.length;
    }
  }

  #kept(): string {
    return (this.lines[this.#row] ?? '').slice(0, this.#column);
  }

  get wraps(): boolean {
    return this.#wraps;
  }

  text(): string {
    return stripVTControlCharacters(this.lines.join('\n')).trimEnd();
  }
}

const ink = new Ink({ color: true, unicode: true });
const started = (job: string): VerbEvent => ({ type: 'job_started', job, stage: 'check', output_path: '/x' });

describe('The live block on a terminal', () => {
  it('shows jobs as they start and end, and leaves nothing behind', () => {
    const screen = new Screen(24);
    const live = new LiveProgress(screen, 'done', ink);
    live.event({ type: 'run_started', root: '/r', verb: 'done', jobs: 2 });
    live.event(started('lint'));
    live.event(started('typecheck'));
    assert.match(screen.text(), /^done {2}0\/2 jobs {2}0s\n {2}▸ lint {7}0s\n {2}▸ typecheck {2}0s$/);
    const ended = { type: 'job_finished', stage: 'check', duration_ms: 1500, jobs: 2 } as const;
    live.event({ ...ended, job: 'lint', outcome: 'passed', done: 1 });
    live.event({ ...ended, job: 'typecheck', outcome: 'failed', done: 2 });
    live.event({ type: 'waiting', message: 'Waiting for another run.' });
    assert.match(
      screen.text(),
      /^done {2}2\/2 jobs {2}0s\n {2}✔ lint {7}1\.5s\n {2}✖ typecheck {2}failed {2}1\.5s\n {2}Waiting for another run\.$/,
    );
    live.stop();
    assert.equal(screen.text(), '');
    live.event(started('late'));
    assert.equal(screen.text(), '');
  });

  it('always fits the screen, whatever happens, and always lets lines wrap again', () => {
    const name = fc.constantFrom('a', 'build', 'typecheck', 'x'.repeat(300), '\u001b[2J', 'two\nlines');
    const event = fc.oneof(
      name.map(started),
      fc.tuple(name, fc.constantFrom(...outcomes), fc.nat(4_000_000)).map(
        ([job, outcome, duration_ms]): VerbEvent => ({
          type: 'job_finished',
          job,
          stage: 'test',
          outcome,
          duration_ms,
          done: 1,
          jobs: 3,
        }),
      ),
      name.map((message): VerbEvent => ({ type: 'progress', message })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (events, rows) => {
        const screen = new Screen(rows);
        const live = new LiveProgress(screen, 'done', ink);
        for (const one of events) {
          live.event(one);
          assert.ok(screen.lines.length <= rows, `${screen.lines.length} lines on ${rows} rows`);
          assert.ok(screen.wraps);
        }
        live.stop();
        assert.equal(screen.text(), '');
      }),
    );
  });
});
