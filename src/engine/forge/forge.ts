import { Refusal } from '../call/refusal.ts';
import { forgeRepository } from '../fleet/ticket-ref.ts';
import { git } from '../git/core.ts';
import { withoutSecrets } from '../repository/fetch.ts';
import { type Repository, requireTrunk, where } from '../repository/repository.ts';
import { upstreamRef } from '../repository/upstream.ts';
import type { Forge } from './pull-request.ts';
import { type ForgeTool, forgeTools, installAdvice, isInstalled, runForgeCli } from './run-cli.ts';
import { teaLogin } from './tea.ts';

/** The forges whose names tell them. Any other host is asked about. */
const byHost: readonly [RegExp, ForgeTool][] = [
  [/(^|[.-])github([.-]|$)/, 'gh'],
  [/(^|[.-])gitlab([.-]|$)/, 'glab'],
  [/(^|[.-])(gitea|forgejo|codeberg)([.-]|$)/, 'tea'],
];

/** Hosts that only ssh knows, and aliases of an ssh configuration, as the forge's pages call it. */
const webHost = (host: string): string =>
  host
    .replace(/^(?:ssh\.)?github\.com(?:-.*)?$/, 'github.com')
    .replace(/^(?:altssh\.)?gitlab\.com(?:-.*)?$/, 'gitlab.com');

/**
 * The forge that the trunk's remote is on, by its host, and for one that tells nothing by which command line is logged in there. Refuses
 * `unknown_ref` without a remote, and `unavailable` where the remote is on no forge or the command line for it is not installed.
 */
export async function findForge(repo: Repository, signal: AbortSignal): Promise<Forge> {
  const trunk = requireTrunk(repo);
  const data = where(repo);
  const upstream = await upstreamRef(repo.top, trunk, signal);
  const { stdout } = await git(repo.top, ['remote'], { signal });
  const remotes = stdout.toString('utf8').split('\n');
  if (!upstream || !remotes.includes(upstream.remote)) {
    throw new Refusal(
      'unknown_ref',
      `${trunk.name} has no remote that a pull request could go to: add one with "git remote add origin <url>", or accept without pr.`,
      { data },
    );
  }
  const { remote } = upstream;
  const urls = await urlsOf(repo.top, remote, signal);
  const there = urls
    .flatMap((url) => forgeRepository(url) ?? [])
    .map((one) => ({ ...one, host: webHost(one.host) }));
  const [first] = there;
  if (!first) {
    throw new Refusal(
      'unavailable',
      `${remote} (${withoutSecrets(urls[0] ?? '')}) is on no forge, so there are no pull requests: accept with push, or without pr.`,
      { data },
    );
  }
  const rest = { remote, base: upstream.there.replace(/^refs\/heads\//, '') };
  for (const one of there) {
    const tool = byHost.find(([pattern]) => pattern.test(one.host))?.[1];
    if (!tool) continue;
    if (isInstalled(tool)) return { ...one, tool, ...rest };
    throw new Refusal(
      'unavailable',
      `A pull request on ${one.host} needs ${tool}, which is not on PATH: ${installAdvice[tool]}, or push the branch and open it by hand. Nothing was pushed.`,
      { data },
    );
  }
  const installed = forgeTools.filter(isInstalled);
  for (const one of there) {
    for (const tool of installed) {
      if (await isLoggedIn(tool, repo.top, one.host, signal)) return { ...one, tool, ...rest };
    }
  }
  const tried =
    installed.length > 0
      ? `none of ${installed.join(', ')} is logged in there`
      : 'no command line of a forge is on PATH';
  throw new Refusal(
    'unavailable',
    `It is not known what forge ${first.host} is: ${tried}. Install gh (GitHub), glab (GitLab) or tea (Gitea, Forgejo) and log in to ${first.host} with it, or push the branch and open the pull request by hand. Nothing was pushed.`,
    { data },
  );
}

/** Whether a pull request may be possible, as far as that is known without asking a forge or starting its command line. */
export async function mayHaveForge(cwd: string, remote: string, signal: AbortSignal): Promise<boolean> {
  const hosts = (await urlsOf(cwd, remote, signal)).flatMap((url) => forgeRepository(url) ?? []);
  return hosts.some(({ host }) => {
    const tool = byHost.find(([pattern]) => pattern.test(webHost(host)))?.[1];
    return tool ? isInstalled(tool) : forgeTools.some(isInstalled);
  });
}

/** As the person wrote it, then as git uses it: `insteadOf` may stand for a short name or for a mirror. */
async function urlsOf(cwd: string, remote: string, signal: AbortSignal): Promise<string[]> {
  const asked = [
    ['config', '--get', `remote.${remote}.url`],
    ['remote', 'get-url', '--', remote],
  ];
  // A remote that is not there has none: git-remote(1) ends with 2 then, and did with 128.
  const found = await Promise.all(asked.map((args) => git(cwd, args, { ok: [0, 1, 2, 128], signal })));
  return [...new Set(found.map(({ stdout }) => stdout.toString('utf8').trim()).filter(Boolean))];
}

async function isLoggedIn(tool: ForgeTool, cwd: string, host: string, signal: AbortSignal): Promise<boolean> {
  if (tool === 'tea') return (await teaLogin(cwd, host, signal)) !== undefined;
  const { code } = await runForgeCli(tool, cwd, ['auth', 'status', '--hostname', host], signal);
  return code === 0;
}
