import type { Diagnostic } from '../../contract/envelope.ts';
import type { GateJob, GateRunView } from '../../contract/gate-view.ts';
import { count } from './time.ts';

/** Most findings listed. */
export const maxFindings = 100;

export interface Finding {
  key: string;
  /** Its index in `run.diagnostics`. */
  index: number;
  severity: Diagnostic['severity'];
  /** `file:line:column`, or the tool that names no file. */
  place: string;
  /** What choosing it does: open the place, show a job's output, or nothing. */
  leadsTo: { kind: 'place' } | { kind: 'job'; name: string } | undefined;
  message: string;
  rule: string | undefined;
  /** For a screen reader. */
  label: string;
}

export interface Findings {
  listed: Finding[];
  more: number;
  /** How many there are of each severity, such as `2 errors, 1 warning`. */
  summary: string;
}

const severities = ['error', 'warning', 'info'] as const satisfies readonly Diagnostic['severity'][];
const nouns = { error: 'error', warning: 'warning', info: 'note' } as const;

/** `file:line:column` as far as it is known; undefined of a finding that names no file. */
export function placeOf({ file, line, column }: Diagnostic): string | undefined {
  if (file === undefined) return undefined;
  return [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

/** A run's findings, errors first, else in the order they came; at most `limit` are listed. */
export function findingsOf({ diagnostics, jobs }: GateRunView, limit = maxFindings): Findings {
  const order = diagnostics
    .map((diagnostic, index) => ({ diagnostic, index }))
    .sort((one, other) => rank(one.diagnostic) - rank(other.diagnostic));
  return {
    listed: order.slice(0, limit).map(({ diagnostic, index }) => finding(diagnostic, index, jobs)),
    more: Math.max(0, order.length - limit),
    summary: severities
      .flatMap((severity) => {
        const number = diagnostics.filter((one) => one.severity === severity).length;
        return number === 0 ? [] : [count(number, nouns[severity])];
      })
      .join(', '),
  };
}

const rank = ({ severity }: Diagnostic) => severities.indexOf(severity);

function finding(diagnostic: Diagnostic, index: number, jobs: readonly GateJob[]): Finding {
  const { severity, message, rule, tool, line, column } = diagnostic;
  const place = placeOf(diagnostic);
  // A finding of a whole job has no place, but its output is at hand.
  const job = jobs.find(({ output_path }) => output_path && output_path === diagnostic.output_path);
  const where = [diagnostic.file ?? tool, line && `line ${line}`, line && column && `column ${column}`];
  return {
    key: JSON.stringify([index, place, message]),
    index,
    severity,
    place: place ?? tool,
    leadsTo: place !== undefined ? { kind: 'place' } : job && { kind: 'job', name: job.name },
    message,
    rule,
    label: `${nouns[severity]}, ${where.filter(Boolean).join(' ')}: ${message}${rule ? ` ${rule}` : ''}`,
  };
}
