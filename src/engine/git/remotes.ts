import { git } from './core.ts';

/** The URL of each remote as git would use it (git-remote(1), `-v`): what the user's `insteadOf` makes of it. Asks no network. */
export async function listRemotes(cwd: string, signal?: AbortSignal): Promise<string[]> {
  const { stdout } = await git(cwd, ['remote', '-v'], { signal });
  return parseRemotes(stdout.toString('utf8'));
}

/** The URLs in what `git remote -v` prints: a name, a tab, the URL, and what it is for. */
export function parseRemotes(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, url] = /^[^\t]+\t(.+) \(fetch\)(?: \[[^\]]*\])?$/.exec(line) ?? [];
    return url === undefined ? [] : [url];
  });
}
