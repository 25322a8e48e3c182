import type { GateData, StatusData } from '../../contract/data.ts';
import type { Envelope, Step } from '../../contract/envelope.ts';
import type { GateJob, GateRunView } from '../../contract/gate-view.ts';

/** The answer of a tool, as a chat client hands it to the page; nothing where it is none of ours. */
export function answerIn(result: unknown): Envelope | undefined {
  const { structuredContent: answer } = (result ?? {}) as { structuredContent?: Partial<Envelope> };
  return typeof answer?.ok === 'boolean' && typeof answer.verb === 'string'
    ? (answer as Envelope)
    : undefined;
}

/** The stages in the order they run; those of one row run side by side. */
const rows = [['fix'], ['build'], ['check', 'test'], ['scope']] as const;

/**
 * Jobs with the times they took, one row of stages after the other: an answer tells how long each took, and not when it began. Fixes
 * run one after the other, all others of a row at once.
 */
export function jobsOf(steps: readonly Step[]): GateJob[] {
  let now = 0;
  return rows.flatMap((stages) => {
    const begun = now;
    const some = steps.filter(({ stage }) => (stages as readonly string[]).includes(stage));
    return some.map(({ name, stage, outcome, duration_ms = 0, ...rest }) => {
      const start = stage === 'fix' ? now : begun;
      now = Math.max(now, start + duration_ms);
      return {
        name,
        stage,
        state: outcome,
        start,
        end: start + duration_ms,
        ...(rest.exit_code !== undefined && { exit_code: rest.exit_code }),
        ...(rest.output_path !== undefined && { output_path: rest.output_path }),
        ...(rest.output_lines !== undefined && { output_lines: rest.output_lines }),
      };
    });
  });
}

/** The run of the gate an answer is of. */
export function runOf(
  { verb, ok, error, message, hints, diagnostics, steps, data }: Envelope,
  caller: GateRunView['caller'],
): GateRunView {
  const { root, branch, commit, proof, jobs, scopes, standards, drift } = (data ?? {}) as Partial<GateData>;
  const drawn = jobsOf(steps ?? []);
  return {
    call: 0,
    verb,
    caller,
    root: root ?? '',
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
    running: false,
    elapsed: Math.max(0, ...drawn.map(({ end }) => end ?? 0)),
    jobs: drawn,
    ok,
    ...(error !== undefined && { error }),
    ...(message !== undefined && { message }),
    hints: hints ?? [],
    diagnostics: diagnostics ?? [],
    ...(proof && { proof }),
    // Counts of none are left out of an answer.
    counts: { passed: 0, failed: 0, cancelled: 0, skipped: 0, timed_out: 0, ...jobs },
    scopes: scopes ?? [],
    standards: standards ?? [],
    drift: drift ?? [],
  };
}

/** What `status` says, as lines of a name and a text. */
export function standing({ message, data }: Envelope): { name: string; text: string }[] {
  const {
    root,
    branch,
    commit,
    trunk,
    ahead = 0,
    behind = 0,
    clean,
    changes,
    proof,
    worktrees,
  } = (data ?? {}) as Partial<StatusData>;
  const edits = Object.entries(changes ?? {}).flatMap(([kind, number]) =>
    number ? [`${number} ${kind}`] : [],
  );
  const found: [name: string, text: string | undefined][] = [
    ['Root', root],
    ['Branch', branch === null ? 'detached HEAD' : branch],
    ['Commit', commit?.slice(0, 10)],
    ['Trunk', trunk && `${trunk}: ${ahead} ahead, ${behind} behind`],
    ['Changes', clean ? 'none' : edits.join(', ') || undefined],
    ['Proof', proof && [proof.state, proof.reason].filter(Boolean).join(': ')],
    ...(worktrees ?? []).flatMap(({ root: path, branch: of }): [string, string][] =>
      path === undefined || path === root ? [] : [['Worktree', `${of ?? 'detached HEAD'} in ${path}`]],
    ),
    ['Next', message],
  ];
  return found.flatMap(([name, text]) => (text ? [{ name, text }] : []));
}
