import * as z from 'zod';
import type { Check, Forge, ForgeCli, Found, Where } from './pull-request.ts';
import { runForgeCli } from './run-cli.ts';
import { cliFailed, readJson } from './said.ts';

/** GitLab's REST API, which `glab api` asks with the person's login (docs.gitlab.com/api/merge_requests, /pipelines, /jobs). */
const Listed = z.array(
  z.object({
    iid: z.number().int(),
    web_url: z.string(),
    state: z.string(),
    sha: z.string().nullish(),
    source_project_id: z.number().nullish(),
    target_project_id: z.number().nullish(),
  }),
);
const Pipelines = z.array(z.object({ id: z.number().int() }));
const Jobs = z.array(
  z.object({
    id: z.number().int(),
    name: z.string(),
    status: z.string(),
    web_url: z.string().nullish(),
    allow_failure: z.boolean().nullish(),
  }),
);

const project = ({ repo }: Forge) => `projects/${encodeURIComponent(repo)}`;
const address = ({ host, repo }: Forge) => `https://${host}/${repo}`;

/** A job's status; one that has yet to run or to end is pending. */
function stateOf(status: string, mayFail: boolean): Check['state'] {
  if (status === 'success') return 'passed';
  if (status === 'failed') return mayFail ? 'skipped' : 'failed';
  if (status === 'canceled') return 'failed';
  return status === 'skipped' || status === 'manual' ? 'skipped' : 'pending';
}

export const glab: ForgeCli = {
  async find(forge, branch, at) {
    const query = `source_branch=${encodeURIComponent(branch)}&per_page=30`;
    const result = await api(forge, `${project(forge)}/merge_requests?${query}`, at);
    if (result.code !== 0) throw cliFailed(forge, 'list the merge requests', result, 'Nothing was pushed.');
    return readJson('glab', result.stdout, Listed).flatMap((one): Found[] => {
      const state = one.state === 'opened' ? 'open' : one.state;
      // A fork may have a branch of the same name.
      if (one.source_project_id !== one.target_project_id || (state !== 'open' && state !== 'merged'))
        return [];
      return [{ number: one.iid, url: one.web_url, state, ...(one.sha && { head: one.sha }) }];
    });
  },
  async open(forge, { branch, title, body }, { cwd, signal }) {
    const both = ['--repo', address(forge), '--head', address(forge)];
    const branches = ['--source-branch', branch, '--target-branch', forge.base];
    const args = ['mr', 'create', ...both, ...branches, '--title', title, '--description', body, '--yes'];
    const result = await runForgeCli('glab', cwd, args, signal);
    if (result.code !== 0)
      throw cliFailed(forge, 'open the merge request', result, `${branch} is on ${forge.remote}.`);
    return /https?:\/\/\S+\/merge_requests\/\d+/.exec(`${result.stdout}\n${result.stderr}`)?.[0];
  },
  async checks(forge, { number }, at) {
    const answer = async <Value>(path: string, schema: z.ZodType<Value>) => {
      const result = await api(forge, `${project(forge)}/${path}`, at);
      if (result.code !== 0) throw cliFailed(forge, 'tell of its checks', result, '');
      return readJson('glab', result.stdout, schema);
    };
    // The newest is the first.
    const [pipeline] = await answer(`merge_requests/${number}/pipelines`, Pipelines);
    if (!pipeline) return [];
    const jobs = await answer(`pipelines/${pipeline.id}/jobs?per_page=100`, Jobs);
    return jobs.map(({ id, name, status, web_url: url, allow_failure: mayFail }): Check => {
      return { name, state: stateOf(status, mayFail === true), job: String(id), ...(url && { url }) };
    });
  },
  logArgs: (forge, { job }) => ['api', '--hostname', forge.host, `${project(forge)}/jobs/${job}/trace`],
};

const api = (forge: Forge, path: string, { cwd, signal }: Where) =>
  runForgeCli('glab', cwd, ['api', '--hostname', forge.host, path], signal);
