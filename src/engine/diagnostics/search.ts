import type { Finding } from './finding.ts';
import { type Part, partsOf } from './parts.ts';
import { namesError, type Recognised, recognise, type Setting } from './recognise.ts';
import { namedReports } from './reports.ts';
import type { Window } from './window.ts';

/** Most findings kept of one output; the others are counted. */
const maxKept = 4000;

/** What an output says of what is wrong. */
export interface Search {
  findings: Finding[];
  /** Findings beyond those that are kept. */
  more: number;
  /** The last lines that no shape read. */
  unread: readonly string[];
  /** Names of reports that the job says it wrote. */
  reports: string[];
}

/**
 * Searches a whole output for findings: what was read of it, or, where that is not all, its file in parts. A file of any size takes
 * bounded memory, and time in proportion to its size. Rejects with the signal's reason.
 */
export async function search(
  { text, size, whole }: Window,
  path: string,
  setting: Setting,
  signal?: AbortSignal,
): Promise<Search> {
  const gathered = new Gathered();
  if (whole) gathered.add(await recognise(text, setting, signal), { text, before: 0, after: 0 });
  else
    for await (const part of partsOf(path, size, signal))
      gathered.add(await recognise(part.text, setting, signal), part);
  return gathered.end();
}

/** What was recognised in the parts of an output so far. */
class Gathered {
  #reported = new Kept();
  #findings = new Kept();
  #stacks = new Kept();
  #places = new Kept();
  #unread: readonly string[] = [];
  readonly #reports = new Set<string>();
  #from = 0;

  add(part: Recognised, { text, before, after }: Part): void {
    for (const name of namedReports(text)) if (this.#reports.size < maxKept) this.#reports.add(name);
    const last = part.total - after;
    const own = ({ at }: Finding) => (before === 0 || at >= before) && (after === 0 || at < last);
    const moved = (finding: Finding) => ({ ...finding, at: finding.at + this.#from });
    this.#reported.add(part.reported);
    this.#findings.add(part.findings.filter(own).map(moved));
    this.#stacks.add(part.stacks.filter(own).map(moved));
    this.#places.add(part.places.filter(own).map(moved));
    this.#unread = part.lines;
    this.#from += part.total;
  }

  end(): Search {
    const sure = [this.#reported, this.#findings];
    const settled = sure.some((kept) => namesError(kept.all));
    const heard = settled ? sure : [...sure, this.#stacks];
    const kept = heard.some(({ all }) => all.length > 0) ? heard : [this.#places];
    return {
      findings: kept.flatMap(({ all }) => all),
      more: kept.reduce((sum, { more }) => sum + more, 0),
      unread: this.#unread,
      reports: [...this.#reports],
    };
  }
}

/** Findings up to a bound, errors and others apart, since a thousand warnings must not crowd out one error. */
class Kept {
  readonly #errors: Finding[] = [];
  readonly #others: Finding[] = [];
  /** Those already kept, as far as a part and its neighbour may both tell of them. */
  #known = new Set<string>();
  more = 0;

  get all(): readonly Finding[] {
    return [...this.#errors, ...this.#others];
  }

  add(findings: readonly Finding[]): void {
    const before = this.#known;
    this.#known = new Set();
    for (const finding of findings) {
      const key = JSON.stringify([finding.file, finding.line, finding.column, finding.message]);
      const known = before.has(key) || this.#known.has(key);
      this.#known.add(key);
      if (known) continue;
      const kept = finding.severity === 'error' ? this.#errors : this.#others;
      if (kept.length < maxKept) kept.push(finding);
      else this.more++;
    }
  }
}
