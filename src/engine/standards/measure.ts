import type { Standard } from '../../contract/config.ts';
import type { Evidence } from '../../contract/config-values.ts';
import type { StandardResult } from '../../contract/data.ts';
import type { Diagnostic } from '../../contract/envelope.ts';
import { shownNumber } from '../../contract/standard-words.ts';
import { standardJob } from '../config/standard-names.ts';
import { readOutput } from '../diagnostics/index.ts';
import type { JobResult, Judging, MeasuredReuse, PlannedJob } from '../jobs/planned-job.ts';
import { timeLimit } from '../jobs/planned-job.ts';
import { jobNamed, needing } from '../jobs/selectors.ts';
import type { Repository } from '../repository/repository.ts';
import { measureExtent } from './extent.ts';
import { type Measurement, measureOf, valuesOf } from './history.ts';
import { holds, perWords, pinLimit } from './judge.ts';
import type { Loosened, TrunkLimit } from './limits.ts';
import { type Metric, metricNamed, readMetrics } from './metric.ts';
import type { Replay } from './replay.ts';
import { printedBy } from './source.ts';

type Outcome = Pick<StandardResult, 'state' | 'value' | 'replayed_from'>;

/** The standards of one run: what is measured, and, once the jobs have ended, how each fared. */
export class Measuring {
  readonly #repo: Repository;
  readonly #standards: readonly Standard[];
  readonly #trunk: ReadonlyMap<string, TrunkLimit>;
  readonly #loosened: readonly Loosened[];
  readonly #outcomes = new Map<string, Outcome>();
  /** One for each standard that is measured by running its command. */
  readonly jobs: PlannedJob[] = [];
  /** What was measured on an earlier commit, none of whose inputs changed since. */
  readonly replayed: { name: string; commit: string }[] = [];
  /** What was not measured, and why. */
  readonly notes: string[] = [];

  constructor(
    repo: Repository,
    options: {
      standards: readonly Standard[];
      trunk?: ReadonlyMap<string, TrunkLimit> | undefined;
      loosened?: readonly Loosened[];
      replays?: ReadonlyMap<string, Replay>;
      /** Leave those out that are measured on demand only. */
      gate?: boolean;
    },
  ) {
    this.#repo = repo;
    this.#standards = options.standards;
    this.#trunk = options.trunk ?? new Map();
    this.#loosened = options.loosened ?? [];
    for (const { name } of this.#loosened) this.#outcomes.set(name, { state: 'loosened' });
    for (const standard of options.standards) {
      if (this.#outcomes.has(standard.name)) continue;
      const replay = options.replays?.get(standard.name);
      if (options.gate && standard.measure === 'on-demand') {
        this.#outcomes.set(standard.name, { state: 'deferred' });
        this.notes.push(`${standard.name} is measured on demand only: discern standards ${standard.name}.`);
      } else if (replay) {
        const { value, commit } = replay;
        this.#outcomes.set(standard.name, { state: 'held', value, replayed_from: commit });
        this.replayed.push({ name: standardJob(standard.name), commit });
        this.notes.push(
          `${standard.name} is ${shownNumber(value)}, as measured on ${commit.slice(0, 10)}: none of its inputs changed since.`,
        );
      } else this.jobs.push(this.#job(standard));
    }
  }

  #job(standard: Standard): PlannedJob {
    const { producer, extract, artifact } = standard;
    const name = standardJob(standard.name);
    const source = producer === undefined ? name : jobNamed(producer);
    return {
      name,
      stage: 'test',
      kind: 'standard',
      commands: standard.run,
      ...needing(producer === undefined ? standard.needs : [producer]),
      ...(extract && artifact === undefined && { reads: source }),
      ...(!extract && producer !== undefined && { readsAll: source }),
      ...timeLimit(standard.timeout, this.#repo.config),
      ...(producer === undefined && this.#reuse(standard)),
      judge: (result, judging) => this.#judge(standard, result, judging),
    };
  }

  /** By what an earlier measurement of it may stand in: what it is divided by is read too. */
  #reuse(standard: Standard): { evidence: Evidence; measured: MeasuredReuse } {
    const { name, inputs, per } = standard;
    const divisor = per && 'paths' in per ? per.paths : [];
    return {
      evidence: { ...standard, ...(inputs && { inputs: [...inputs, ...divisor] }) },
      measured: {
        measure: measureOf(standard),
        holds: (value) => holds(standard, value),
        stoodIn: (value, replayed_from) => this.#outcomes.set(name, { state: 'held', value, replayed_from }),
      },
    };
  }

  /**
   * Judges a measurement by what it printed. Its exit code is no matter where the metric is there: many tools that count
   * problems fail when they find some.
   */
  async #judge(standard: Standard, given: JobResult, judging: Judging): Promise<JobResult> {
    let result = given;
    const { step } = result;
    const { outcome, output_path: output, exit_code: code } = step;
    if (outcome === 'cancelled' || outcome === 'skipped') return result;
    const ran = code !== undefined || standard.run.length === 0;
    const ended = ran && output !== undefined && outcome !== 'timed_out';
    const printed = ended ? await printedBy(standard, result, judging) : undefined;
    if (printed?.cancelled) return { ...result, step: { ...step, outcome: 'cancelled' } };
    if (printed?.outputPath) result = { ...result, step: { ...step, output_path: printed.outputPath } };
    const found = printed && (await this.#value(standard, printed));
    if (found === undefined || 'problem' in found) {
      this.#outcomes.set(standard.name, { state: 'unmeasured' });
      return found === undefined
        ? result
        : this.#failed(standard, result, `${standard.name} could not be measured: ${found.problem}.`);
    }
    const { value } = found;
    if (!holds(standard, value)) {
      this.#outcomes.set(standard.name, { state: 'regressed', value });
      return { ...(await this.#failed(standard, result, regressedWords(standard, value))) };
    }
    this.#outcomes.set(standard.name, { state: 'held', value });
    const hints =
      code === undefined || code === 0
        ? []
        : [`${step.name} ended with exit code ${code}, but printed its metric.`];
    return {
      ...result,
      step: { ...result.step, outcome: 'passed' },
      value,
      diagnostics: [],
      hints: [...result.hints, ...hints],
    };
  }

  async #value(standard: Standard, { outputPath, problem }: { outputPath?: string; problem?: string }) {
    const metrics = outputPath === undefined ? new Map<string, string>() : await readMetrics(outputPath);
    const found = await evaluate(this.#repo.root, standard, metrics);
    // A command that failed and printed its metric all the same has measured.
    return 'problem' in found && problem !== undefined ? { problem } : found;
  }

  async #failed(standard: Standard, result: JobResult, message: string): Promise<JobResult> {
    const outputPath = result.step.output_path ?? '';
    const command = standard.run.join(' && ') || `discern standards ${standard.name}`;
    const reading = await readOutput({
      job: result.step.name,
      command,
      root: this.#repo.root,
      outputPath,
      failed: true,
    });
    const output = reading.diagnostics[0]?.output;
    const diagnostic: Diagnostic = {
      tool: result.step.name,
      severity: 'error',
      message,
      reproduce_cmd: command,
      ...(output !== undefined && { output }),
      output_path: outputPath,
    };
    return { ...result, step: { ...result.step, outcome: 'failed' }, diagnostics: [diagnostic] };
  }

  /** How every standard fared, in the file's order, then those that the branch deleted. */
  results(history: readonly Measurement[]): StandardResult[] {
    const results = this.#standards.map((standard): StandardResult => {
      const outcome = this.#outcomes.get(standard.name) ?? { state: 'skipped' };
      const { name, direction, limit } = standard;
      const per = perWords(standard);
      const trunk = this.#trunk.get(name);
      const pin =
        outcome.state === 'held' && outcome.value !== undefined && pinLimit(standard, outcome.value);
      const values = valuesOf(history, standard);
      return {
        name,
        direction,
        limit,
        ...outcome,
        ...(trunk && { trunk_limit: trunk.limit }),
        ...(per !== undefined && { per }),
        ...(typeof pin === 'number' && { pin }),
        ...(values.length > 0 && { history: values }),
      };
    });
    const deleted = this.#loosened.filter((one) => one.limit === undefined);
    return [
      ...results,
      ...deleted.map(
        ({ name, trunk }): StandardResult => ({
          name,
          state: 'loosened',
          direction: trunk.direction,
          trunk_limit: trunk.limit,
        }),
      ),
    ];
  }

  /** What was measured, to be kept where it is of a clean commit. */
  measurements(): Measurement[] {
    const at = new Date().toISOString();
    return this.#standards.flatMap((standard): Measurement[] => {
      const { value, replayed_from } = this.#outcomes.get(standard.name) ?? {};
      if (value === undefined || replayed_from !== undefined) return [];
      const { name, limit } = standard;
      return [{ name, at, commit: this.#repo.commit, value, limit, measure: measureOf(standard) }];
    });
  }

  /** The names of the standards in one state. */
  named(state: StandardResult['state']): string[] {
    return [...this.#outcomes].filter(([, outcome]) => outcome.state === state).map(([name]) => name);
  }
}

function regressedWords(standard: Standard, value: number): string {
  const { name, direction, limit } = standard;
  const per = perWords(standard);
  const side = direction === 'up' ? 'below its floor' : 'above its ceiling';
  const turn = direction === 'up' ? 'raise' : 'bring down';
  return `${name} is ${shownNumber(value)}${per === undefined ? '' : ` per ${per}`}, ${side} ${limit}: ${turn} what it measures; never loosen the limit for it.`;
}

/** The value a standard's limit is compared with: its metric, or that divided and scaled. */
async function evaluate(
  root: string,
  standard: Standard,
  printed: ReadonlyMap<string, string>,
): Promise<Metric> {
  const metric = metricNamed(printed, standard.metric);
  const { per, scale } = standard;
  if ('problem' in metric || per === undefined) return metric;
  const divisor = 'metric' in per ? metricNamed(printed, per.metric) : await extentOf(root, per);
  if ('problem' in divisor) return divisor;
  if (divisor.value <= 0) {
    const what = 'metric' in per ? per.metric : `${per.extent} in ${per.paths.join(', ')}`;
    return { problem: `it is divided by ${what}, which is ${divisor.value}: correct its \`per\`` };
  }
  const value = (metric.value / divisor.value) * scale;
  return Number.isFinite(value)
    ? { value }
    : { problem: `the rate of ${metric.value} is not a finite number` };
}

async function extentOf(
  root: string,
  per: Extract<NonNullable<Standard['per']>, { paths: string[] }>,
): Promise<Metric> {
  const measured = await measureExtent(root, per.extent, per.paths);
  return typeof measured === 'number' ? { value: measured } : measured;
}
