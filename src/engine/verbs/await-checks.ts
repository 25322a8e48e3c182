import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../contract/answers.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { type Checked, checkWords, prChecks } from '../forge/checks.ts';
import { findForge } from '../forge/forge.ts';
import { forgeClis } from '../forge/index.ts';
import { openRepository, requireTrunk, where } from '../repository/repository.ts';

/** How often a forge is asked, in milliseconds. DISCERN_FORGE_POLL sets other seconds. */
const pollMs = () => {
  const seconds = Number(process.env.DISCERN_FORGE_POLL);
  return (seconds > 0 && seconds < 3_600 ? seconds : 15) * 1_000;
};

/** A forge that did not answer is asked again this often, one time after the other. */
const MOST_FAILURES = 3;

/** A pull request without checks is asked about this often: a forge takes a while to begin them, and some projects have none. */
const MOST_EMPTY = 4;

/**
 * Waits until every check of the branch's pull request has ended. Refuses `gate_failed` where one failed, with the end of its log;
 * `timed_out` when the time (seconds) is over; `invalid_argument` where the branch has no open pull request, and what the forge's command line
 * cannot do.
 */
export async function awaitChecks(root: string, seconds: number, ctx: Context): Promise<Result<'await'>> {
  const repo = await openRepository(root, ctx.signal);
  const trunk = requireTrunk(repo);
  const { signal } = ctx;
  const until = Date.now() + seconds * 1_000;
  const forge = await findForge(repo, signal);
  const at = { cwd: repo.top, signal };
  const branch = repo.branch ?? '';
  const found = branch
    ? (await forgeClis[forge.tool].find(forge, branch, at)).find(({ state }) => state === 'open')
    : undefined;
  if (!found) {
    throw new Refusal(
      'invalid_argument',
      `${branch || repo.top} has no open pull request whose checks could be waited for: call accept with pr.`,
      { data: where(repo) },
    );
  }
  const pull = {
    url: found.url,
    number: found.number,
    forge: forge.tool,
    remote: forge.remote,
    base: forge.base,
  };
  const data = { ...where(repo), until: 'checks', trunk: trunk.name, trunk_commit: trunk.commit } as const;
  const look = () => prChecks(forge, { ...found, head: found.head ?? repo.commit }, at);
  for (let empty = 0, failures = 0, told: Checked | undefined; ; ) {
    const checked = await look().catch((error: unknown) => {
      // A forge that has answered before may be away for a moment.
      const isAway = Refusal.is(error) && (error.slug === 'unavailable' || error.slug === 'timed_out');
      if (!isAway || told === undefined || ++failures > MOST_FAILURES) throw error;
      ctx.emit({ type: 'progress', message: error.message });
      return told;
    });
    if (checked !== told) failures = 0;
    told = checked;
    if (!checked) {
      throw new Refusal('unavailable', `${forge.tool} cannot tell of the checks: look at ${found.url}.`, {
        data: where(repo),
      });
    }
    const { checks, diagnostics } = checked;
    const pull_request = { ...pull, state: 'unchanged', checks } as const;
    if (checks.length === 0) empty++;
    if (checks.length > 0 ? checks.every(({ state }) => state !== 'pending') : empty >= MOST_EMPTY) {
      const failed = checks.some(({ state }) => state === 'failed');
      return {
        ok: !failed,
        ...(failed && { error: 'gate_failed', diagnostics }),
        data: { ...data, happened: 'checks', pull_request },
        message: `${found.url}: ${checkWords(checks)}`,
      };
    }
    if (Date.now() >= until) {
      return {
        ok: false,
        error: 'timed_out',
        data: { ...data, happened: 'time_over', pull_request },
        message: `${found.url}: ${checkWords(checks)} The time is over: call await again, nothing is lost by that.`,
      };
    }
    ctx.emit({ type: 'progress', message: checkWords(checks) });
    await sleep(Math.min(pollMs(), Math.max(until - Date.now(), 0)), undefined, { signal }).catch(
      () => undefined,
    );
    if (signal.aborted)
      throw new Refusal('cancelled', 'await was cancelled; nothing was changed.', { data: where(repo) });
  }
}
