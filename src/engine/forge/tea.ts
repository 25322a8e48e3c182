import * as z from 'zod';
import { Refusal } from '../call/refusal.ts';
import type { Check, Forge, ForgeCli, Found, Where } from './pull-request.ts';
import { loginOf, runForgeCli } from './run-cli.ts';
import { cliFailed, readJson } from './said.ts';

/** What `tea login list --output json` prints, a row a login: every value is text. */
const Logins = z.array(z.object({ name: z.string(), url: z.string(), ssh_host: z.string().catch('') }));

/** `tea pulls list --output json`: its `--fields`, every value as text. */
const Listed = z.array(z.object({ index: z.string(), url: z.string(), state: z.string(), head: z.string() }));

/** A commit's combined status (Gitea's API, `repos/{owner}/{repo}/commits/{ref}/status`). */
const Status = z.object({
  statuses: z
    .array(z.object({ context: z.string(), status: z.string(), target_url: z.string().catch('') }))
    .nullish(),
});

/** What is used of a pull request (Gitea's API, `repos/{owner}/{repo}/pulls/{index}`). */
const Pull = z.object({ head: z.object({ sha: z.string() }) });

/** Pull requests a page has; servers give no more at once than this. */
const PAGE = 50;
/** Most pages that are looked through for the branch's. */
const MOST_PAGES = 20;

const states: Readonly<Record<string, Check['state']>> = {
  success: 'passed',
  warning: 'passed',
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
};

/** The name of tea's login to a host; `undefined` where it has none. */
export async function teaLogin(cwd: string, host: string, signal: AbortSignal): Promise<string | undefined> {
  const result = await runForgeCli('tea', cwd, ['login', 'list', '--output', 'json'], signal);
  if (result.code !== 0 || result.stdout.trim() === '') return undefined;
  const logins = readJson('tea', result.stdout, Logins);
  const isThere = (url: string) => URL.canParse(url) && new URL(url).host === host;
  return logins.find(({ url, ssh_host: ssh }) => isThere(url) || ssh === host)?.name;
}

async function loggedIn(forge: Forge, { cwd, signal }: Where): Promise<string[]> {
  const login = await teaLogin(cwd, forge.host, signal);
  if (login !== undefined) return ['--login', login, '--repo', forge.repo];
  throw new Refusal(
    'unavailable',
    `tea is not logged in to ${forge.host}: run "${loginOf.tea.login(forge.host)}" in a terminal, then accept with pr again. Nothing was pushed.`,
  );
}

/** The commit of a pull request, which its list does not tell; `undefined` where tea is too old to ask. */
async function commitOf(
  { repo }: Forge,
  [, login = '']: readonly string[],
  index: string,
  { cwd, signal }: Where,
): Promise<string | undefined> {
  const path = `repos/${repo}/pulls/${index}`;
  const result = await runForgeCli('tea', cwd, ['api', '--login', login, path], signal);
  return result.code === 0 ? readJson('tea', result.stdout, Pull).head.sha : undefined;
}

export const tea: ForgeCli = {
  async find(forge, branch, at) {
    const login = await loggedIn(forge, at);
    const how = [
      '--state',
      'all',
      '--fields',
      'index,url,state,head',
      '--output',
      'json',
      '--limit',
      `${PAGE}`,
    ];
    const found: Found[] = [];
    for (let page = 1; page <= MOST_PAGES; page++) {
      const args = ['pulls', 'list', ...login, ...how, '--page', String(page)];
      const result = await runForgeCli('tea', at.cwd, args, at.signal);
      if (result.code !== 0) throw cliFailed(forge, 'list the pull requests', result, 'Nothing was pushed.');
      const rows = result.stdout.trim() === '' ? [] : readJson('tea', result.stdout, Listed);
      for (const { index, url, state, head } of rows) {
        // One of a fork has its owner before the name.
        if (head !== branch || (state !== 'open' && state !== 'merged')) continue;
        const commit = state === 'merged' ? await commitOf(forge, login, index, at) : undefined;
        found.push({ number: Number(index), url, state, ...(commit !== undefined && { head: commit }) });
      }
      if (rows.length < PAGE) break;
    }
    return found;
  },
  async open(forge, { branch, title, body }, at) {
    const words = ['--title', title, '--description', body];
    const args = ['pulls', 'create', ...(await loggedIn(forge, at)), '--head', branch, '--base', forge.base];
    const result = await runForgeCli('tea', at.cwd, [...args, ...words], at.signal);
    if (result.code !== 0)
      throw cliFailed(forge, 'open the pull request', result, `${branch} is on ${forge.remote}.`);
    return /https?:\/\/\S+\/pulls\/\d+/.exec(result.stdout)?.[0];
  },
  async checks(forge, { head }, at) {
    const [, login = ''] = await loggedIn(forge, at);
    const path = `repos/${forge.repo}/commits/${head}/status`;
    const result = await runForgeCli('tea', at.cwd, ['api', '--login', login, path], at.signal);
    // tea before 0.11 has no such command.
    if (result.code !== 0) return undefined;
    const { statuses } = readJson('tea', result.stdout, Status);
    return (statuses ?? []).map(({ context, status, target_url: url }): Check => {
      return { name: context, state: states[status] ?? 'pending', ...(url && { url }) };
    });
  },
  // Of a job Gitea tells its place in a run, not the number its log is asked by.
  logArgs: () => undefined,
};
