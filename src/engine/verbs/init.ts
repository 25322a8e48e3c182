import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import type { InitData } from '../../contract/data.ts';
import type { Plan } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { checkConfig } from '../config/check.ts';
import { point } from '../faults/faults.ts';
import { errnoOf } from '../files/errno.ts';
import { stateDir, writeNewFile } from '../files/files.ts';
import { fields, git } from '../git/core.ts';
import { parseStatus } from '../git/status.ts';
import { findInitPlace, type InitPlace } from '../init/place.ts';
import { ProjectFiles } from '../init/project-files.ts';
import type { Proposal } from '../init/proposal.ts';
import { propose } from '../init/propose.ts';
import { lockInit, type Proving, proveInWorktree, recoverProvingLocked } from '../init/prove.ts';
import { writeToml } from '../init/write-toml.ts';
import { openRepository } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { shellWord } from '../words/shell-word.ts';

/** What is to be written, and what a person should know of it. */
interface Draft {
  place: InitPlace;
  proposal: Proposal;
  text: string;
  hints: string[];
}

/**
 * Makes a project of the directory `root` lies in: proposes a `discern.toml` from the manifests there, writes it where
 * there is none, and tries its gate in a throwaway worktree. Unlike every other verb it starts from a directory, not from a
 * project. It commits nothing, and touches no file but its own.
 *
 * Refuses `not_a_git_repository`, `unborn_repository` and `path_exists`. A gate that is red is told with the gate's own
 * error; the file stays, to be corrected.
 */
export async function init(root: string, args: Args<'init'>, ctx: Context): Promise<Result<'init'>> {
  const draft = await draftFor(root, ctx);
  if (args.dry_run) return preview(draft, args.prove !== false);
  const lock = await lockInit(draft.place.commonDir, ctx);
  try {
    await write(draft);
    await point('init.written');
    const repo = await openRepository(draft.place.root, ctx.signal);
    await recoverProvingLocked(repo, ctx);
    if (args.prove === false) return written(draft, undefined);
    return written(draft, await proveInWorktree(repo, draft.text, ctx));
  } finally {
    await lock.release();
  }
}

async function draftFor(directory: string, ctx: Context): Promise<Draft> {
  const place = await findInitPlace(directory, ctx.signal);
  const names = await readdir(place.root);
  const ignored = await ignoredOf(place.root, [...names, CONFIG_FILE], ctx);
  const files = new ProjectFiles(
    place.root,
    place.top,
    names.filter((name) => !ignored.has(name)),
  );
  const proposal = await propose(files);
  if (!place.trunk && place.branch !== null) proposal.trunk = place.branch;
  const text = writeToml(proposal);
  const [problem] = checkConfig(text, CONFIG_FILE).problems;
  if (problem) throw new Error(`the proposed ${CONFIG_FILE} would be refused: ${problem.message}`);
  const uncommitted = await uncommittedOf(place.root, proposal.files, ctx);
  const hints = [...proposal.notes, ...placeHints(place, proposal, uncommitted)];
  if (ignored.has(CONFIG_FILE)) {
    hints.push(
      `git ignores ${CONFIG_FILE} here, so no worktree would have it: correct .gitignore, or use "git add --force".`,
    );
  }
  return { place, proposal, text, hints };
}

/** Those of `names` that git ignores and does not track all the same: no worktree has them (git-check-ignore(1)). */
async function ignoredOf(root: string, names: readonly string[], ctx: Context): Promise<Set<string>> {
  const { stdout } = await git(root, ['check-ignore', '-z', '--stdin'], {
    ok: [0, 1],
    stdin: names.map((name) => `./${name}\0`).join(''),
    signal: ctx.signal,
  });
  return new Set(fields(stdout).map((name) => name.toString('utf8').replace(/^\.\//, '')));
}

/** Those of the files a proposal stands on that no commit has as they are. */
async function uncommittedOf(root: string, files: readonly string[], ctx: Context): Promise<string[]> {
  if (files.length === 0) return [];
  const status = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', '--'];
  const { stdout } = await git(root, [...status, ...files.map((name) => `:(literal)${name}`)], {
    signal: ctx.signal,
  });
  const { staged, unstaged, untracked } = parseStatus(stdout);
  return [...new Set([...staged, ...unstaged, ...untracked])];
}

/** What stands between this file and its use in worktrees: they hold what is committed, on the trunk. */
function placeHints(
  { branch, trunk }: InitPlace,
  { jobs }: Proposal,
  uncommitted: readonly string[],
): string[] {
  const [is, stands, it] =
    uncommitted.length === 1 ? ['is', 'it stands', 'it'] : ['are', 'they stand', 'them'];
  return [
    ...(jobs.length === 0
      ? ['No job was found, so this gate proves nothing yet: say under [jobs] what must pass.']
      : []),
    ...(uncommitted.length > 0
      ? [
          `${uncommitted.join(', ')} ${is} not committed as ${stands}, and a worktree holds only what is: commit ${it} too.`,
        ]
      : []),
    ...(trunk && branch !== trunk.name
      ? [`Worktrees start from ${trunk.name}, which has ${CONFIG_FILE} only once it is merged there.`]
      : []),
    ...(!trunk && branch === null
      ? ['No trunk was found (origin/HEAD, main, master): name one under [repository].']
      : []),
  ];
}

/** Puts the file there, and never in place of another. */
async function write({ place, text }: Draft): Promise<void> {
  try {
    await writeNewFile(join(place.root, CONFIG_FILE), text, stateDir(place.commonDir));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    throw new Refusal(
      'path_exists',
      `${join(place.root, CONFIG_FILE)} has just been made by someone else: look at it, and run done to see whether its gate passes.`,
      { data: { root: place.root } },
    );
  }
}

function dataOf({ place, proposal, text }: Draft, isWritten: boolean): InitData {
  return {
    root: place.root,
    branch: place.branch,
    commit: place.commit,
    file: join(place.root, CONFIG_FILE),
    text,
    written: isWritten,
    found: proposal.found,
    proposed: proposal.jobs,
    setup: proposal.setup,
  };
}

function preview(draft: Draft, prove: boolean): Result<'init'> {
  const { proposal, place, hints } = draft;
  const plan: Plan = {
    title: `Make ${place.root} a discern project`,
    steps: [
      { action: 'write', detail: join(place.root, CONFIG_FILE) },
      ...proposal.jobs.map(({ name, stage, run, from }) => ({
        action: `${stage}: ${name}`,
        detail: `${run} (${from})`,
      })),
      ...proposal.setup.map(({ command, from }) => ({ action: 'setup', detail: `${command} (${from})` })),
      ...(prove
        ? [
            {
              action: 'prove',
              detail: `run all of it in a throwaway worktree of ${place.commit.slice(0, 10)}, removed afterwards`,
            },
          ]
        : []),
    ],
  };
  return { ok: true, dry_run: true, plan, data: dataOf(draft, false), hints };
}

function written(draft: Draft, proving: Proving | undefined): Result<'init'> {
  const { place, hints } = draft;
  const path = join(place.root, CONFIG_FILE);
  const relative = place.root === place.top ? CONFIG_FILE : path.slice(place.top.length + 1);
  const commit = `Commit it, and only it: git -C ${shellWord(place.top)} add ${shellWord(relative)} && git -C ${shellWord(place.top)} commit -m "Add discern.toml" -- ${shellWord(relative)}`;
  const data = dataOf(draft, true);
  if (proving === undefined) {
    return {
      ok: true,
      data: { ...data, proved: { state: 'not_run' } },
      hints: [...hints, commit],
      message: `${path} is written; its gate has not been tried.`,
    };
  }
  const { error, message, steps, diagnostics, jobs } = proving;
  const rest = {
    steps,
    diagnostics,
    hints: [...new Set([...hints, ...proving.hints, ...(error ? [] : [commit])])],
  };
  if (error !== undefined) {
    return {
      ok: false,
      error,
      ...rest,
      data: { ...data, proved: { state: 'failed', reason: message }, ...(jobs && { jobs }) },
      message: `${path} is written, but its gate is not green yet. ${message} Correct ${CONFIG_FILE} or the project, commit, and run done.`,
    };
  }
  return {
    ok: true,
    ...rest,
    data: { ...data, proved: { state: 'passed' }, ...(jobs && { jobs }) },
    message: `${path} is written, and its gate is green in a new worktree of ${place.commit.slice(0, 10)}.`,
  };
}
