import * as z from 'zod';
import type { Check, Forge, ForgeCli, Found, Where } from './pull-request.ts';
import { runForgeCli } from './run-cli.ts';
import { cliFailed, findJson, readJson } from './said.ts';

/** `[HOST/]OWNER/REPO`, as `--repo` takes it. */
const named = ({ host, repo }: Forge) => `${host}/${repo}`;

/** `gh pr list --json` (cli.github.com/manual/gh_pr_list). */
const Listed = z.array(
  z.object({
    number: z.number().int(),
    url: z.string(),
    state: z.string(),
    headRefOid: z.string(),
    isCrossRepository: z.boolean(),
  }),
);

/** `gh pr checks --json` (cli.github.com/manual/gh_pr_checks): `bucket` is what a state comes down to. */
const Checks = z.array(z.object({ name: z.string(), bucket: z.string(), link: z.string().catch('') }));

const buckets: Readonly<Record<string, Check['state']>> = {
  pass: 'passed',
  fail: 'failed',
  cancel: 'failed',
  pending: 'pending',
  skipping: 'skipped',
};

export const gh: ForgeCli = {
  async find(forge, branch, at) {
    const fields = Object.keys(Listed.element.shape).join(',');
    const args = ['--head', branch, '--state', 'all', '--limit', '30', '--json', fields];
    const result = await run(forge, ['pr', 'list', ...args], at);
    if (result.code !== 0) throw cliFailed(forge, 'list the pull requests', result, 'Nothing was pushed.');
    return readJson('gh', result.stdout, Listed).flatMap((one): Found[] => {
      const state = one.state.toLowerCase();
      // A fork may have a branch of the same name.
      if (one.isCrossRepository || (state !== 'open' && state !== 'merged')) return [];
      return [{ number: one.number, url: one.url, state, head: one.headRefOid }];
    });
  },
  async open(forge, { branch, title, body }, at) {
    const words = ['--title', title, '--body', body];
    const result = await run(forge, ['pr', 'create', '--head', branch, '--base', forge.base, ...words], at);
    if (result.code !== 0)
      throw cliFailed(forge, 'open the pull request', result, `${branch} is on ${forge.remote}.`);
    return /https?:\/\/\S+\/pull\/\d+/.exec(result.stdout)?.[0];
  },
  async checks(forge, { number }, at) {
    const result = await run(forge, ['pr', 'checks', String(number), '--json', 'name,bucket,link'], at);
    // Checks that fail or run are told by the exit code too, so what it prints is what counts.
    const found = findJson(result.stdout, Checks);
    if (found) {
      return found.value.map(({ name, bucket, link }): Check => {
        const job = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(link)?.[1];
        return { name, state: buckets[bucket] ?? 'pending', ...(link && { url: link }), ...(job && { job }) };
      });
    }
    if (/no checks reported/.test(result.stderr)) return [];
    throw cliFailed(forge, 'tell of its checks', result, '');
  },
  logArgs: (forge, { job }) =>
    job === undefined ? undefined : ['run', 'view', '--repo', named(forge), '--job', job, '--log-failed'],
};

const run = (forge: Forge, args: readonly string[], { cwd, signal }: Where) =>
  runForgeCli('gh', cwd, [...args, '--repo', named(forge)], signal);
