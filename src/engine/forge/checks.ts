import { count } from '../../contract/count.ts';
import type { Diagnostic } from '../../contract/envelope.ts';
import type { PullRequestCheck } from '../../contract/pull-request.ts';
import { Refusal } from '../call/refusal.ts';
import { tailOf, tellingLine } from '../diagnostics/tail.ts';
import { shellWord } from '../words/shell-word.ts';
import { forgeClis } from './index.ts';
import type { Check, Forge, Found, Where } from './pull-request.ts';
import { runForgeCli } from './run-cli.ts';

/** Logs that are fetched of one pull request: what fails mostly fails once. */
const MOST_LOGS = 3;

/** What the checks of a pull request have come to, with the end of the failing ones' logs. */
export interface Checked {
  checks: PullRequestCheck[];
  diagnostics: Diagnostic[];
}

/**
 * Asks the forge what the checks of a pull request have come to, once; `undefined` where its command line cannot tell. Of those that failed
 * the end of the log comes with it, where the forge has one. Refuses `unavailable` where the forge does not answer.
 */
export async function prChecks(forge: Forge, found: Found, at: Where): Promise<Checked | undefined> {
  const all = await forgeClis[forge.tool].checks(forge, found, at);
  if (!all) return undefined;
  const failed = all.filter(({ state }) => state === 'failed');
  const diagnostics = await Promise.all(
    failed.map((one, at_) => finding(forge, found, one, at_ < MOST_LOGS, at)),
  );
  return { checks: all.map(({ job: _job, ...shown }) => shown), diagnostics };
}

async function finding(
  forge: Forge,
  found: Found,
  check: Check,
  withLog: boolean,
  at: Where,
): Promise<Diagnostic> {
  const { tool } = forge;
  const args = withLog ? forgeClis[tool].logArgs(forge, check) : undefined;
  const lines = args ? await logLines(forge, args, at) : [];
  const why = tellingLine(lines, true);
  return {
    tool: check.name,
    severity: 'error',
    message: why
      ? why.slice(0, 500)
      : `The check "${check.name}" failed${check.url ? `: ${check.url}` : ''}.`,
    reproduce_cmd: args
      ? [tool, ...args].map(shellWord).join(' ')
      : `open ${shellWord(check.url ?? found.url)}`,
    ...(lines.length > 0 && { output: tailOf(lines) }),
  };
}

/** A log's lines without what GitHub puts before each (job, step and time) and GitLab's colours; none where it could not be had. */
async function logLines({ tool }: Forge, args: readonly string[], { cwd, signal }: Where): Promise<string[]> {
  const ran = await runForgeCli(tool, cwd, args, signal).catch((error: unknown) => {
    // That the check failed is known without its log.
    if (Refusal.is(error) && error.slug === 'timed_out') return { code: null, stdout: '' };
    throw error;
  });
  const { code, stdout } = ran;
  if (code !== 0) return [];
  return stdout
    .split('\n')
    .map((line) =>
      plain(line.replace(/^[^\t]*\t[^\t]*\t/, '').replace(/^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z /, '')),
    );
}

const escapes = /\u001b\[[0-9;]*[A-Za-z]|section_(?:start|end):\d+:[^\r\n]*\r?|\r/g;
const plain = (line: string) => line.replace(escapes, '');

/** One sentence on the checks. */
export function checkWords(checks: readonly PullRequestCheck[]): string {
  if (checks.length === 0) return 'It has no checks yet.';
  const of = (state: PullRequestCheck['state']) => checks.filter((one) => one.state === state);
  const [failed, pending] = [of('failed'), of('pending')];
  const names = failed.map(({ name }) => `"${name}"`).join(', ');
  if (failed.length > 0) {
    const rest = pending.length > 0 ? `, and ${count(pending.length, 'check')} still to come` : '';
    return `${count(failed.length, 'check')} of ${checks.length} failed: ${names}${rest}. Fix it here, run done, then accept with pr again.`;
  }
  if (pending.length > 0)
    return `${checks.length - pending.length} of ${count(checks.length, 'check')} came out well so far, and ${pending.length} are still to come.`;
  return `All of its checks came out well (${checks.length}).`;
}
