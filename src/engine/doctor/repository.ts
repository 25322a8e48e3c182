import { join } from 'node:path';
import { count } from '../../contract/count.ts';
import type { Finding } from '../../contract/data.ts';
import { exists } from '../files/files.ts';
import { git, gitLine } from '../git/core.ts';
import { isTrackedClean, listChanges, readStatus } from '../git/status.ts';
import { operationUnderWay } from '../repository/checkout.ts';
import type { Repository } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { behindWords, trunkBehind } from '../repository/upstream.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { fine, warn, wrong } from './finding.ts';

/** The trunk and the checkout that has it: what start begins from and accept lands in. */
export async function landingPlace(repo: Repository): Promise<Finding[]> {
  const { trunk, landing, prefix } = repo;
  if (!trunk) {
    const named = repo.config.config.repository.trunk;
    return [
      wrong(
        'trunk',
        named
          ? `The trunk "${named}" of [repository].trunk is not a local branch.`
          : 'No trunk was found (origin/HEAD, main, master).',
        named
          ? `git branch ${named} <commit>, or correct [repository].trunk in ${CONFIG_FILE}.`
          : `Set [repository].trunk in ${CONFIG_FILE} to the branch work lands on.`,
      ),
    ];
  }
  const config = prefix ? `${prefix}/${CONFIG_FILE}` : CONFIG_FILE;
  const { code } = await git(repo.top, ['cat-file', '-e', `${trunk.commit}:${config}`], { ok: [0, 1, 128] });
  const upstream = await trunkBehind(repo);
  return [
    fine('trunk', `Work lands on ${trunk.name} (${trunk.commit.slice(0, 10)}).`),
    ...(code === 0
      ? []
      : [
          warn(
            'trunk',
            `${trunk.name} has no ${config}, so worktrees that start from it are not projects.`,
            `Commit it there: git add ${config} && git commit -m "Add ${CONFIG_FILE}" -- ${config}`,
          ),
        ]),
    ...(upstream ? [warn('trunk', behindWords(trunk.name, upstream), upstream.remedy)] : []),
    ...(landing ? await checkoutReady(landing.path, repo.commonDir) : [parked(repo, trunk.name)]),
  ];
}

function parked({ worktrees: [main] }: Repository, trunk: string): Finding {
  return warn(
    'landing checkout',
    `No checkout has ${trunk}, so nothing can land.`,
    main && !main.bare ? `git -C ${main.path} switch ${trunk}` : `git worktree add <directory> ${trunk}`,
  );
}

async function checkoutReady(landing: string, commonDir: string): Promise<Finding[]> {
  const operation = await operationUnderWay((await gitDirOf(landing)) ?? commonDir);
  if (operation) {
    return [
      warn(
        'landing checkout',
        `${landing} is in the middle of ${operation.what}, so nothing can land there.`,
        `Finish it, or leave it: ${operation.remedy}`,
      ),
    ];
  }
  const status = await readStatus(landing, { untracked: 'no', submodules: 'all', compare: 'not' });
  if (isTrackedClean(status)) return [fine('landing checkout', `${landing} is ready for work to land.`)];
  return [
    warn(
      'landing checkout',
      `${landing} has uncommitted changes (${listChanges(status)}), so nothing can land there.`,
      `Commit or stash them in ${landing}.`,
    ),
  ];
}

/** What kind of repository it is, where that changes how worktrees behave. */
export async function shape(repo: Repository): Promise<Finding[]> {
  const { top, commonDir, worktrees } = repo;
  const { steps, ensure } = repo.config.config.worktree.setup;
  const [facts, superproject, sparse, hasSubmodules] = await Promise.all([
    gitLine(top, ['rev-parse', '--is-shallow-repository']),
    gitLine(top, ['rev-parse', '--show-superproject-working-tree']),
    git(top, ['config', '--type=bool', '--get', 'core.sparseCheckout'], { ok: [0, 1] }),
    exists(join(top, '.gitmodules')),
  ]);
  const notes: Finding[] = [];
  if (worktrees[0]?.bare) {
    notes.push(fine('repository', `${worktrees[0].path} is a bare hub; its checkouts are linked ones.`));
  }
  if (superproject) {
    notes.push(
      warn(
        'repository',
        `${top} is a submodule of ${superproject}: what lands here is not yet in the commit ${superproject} names.`,
        `After a landing, commit the submodule in ${superproject}.`,
      ),
    );
  }
  if (facts === 'true') {
    notes.push(
      warn(
        'repository',
        'The clone is shallow: where the trunk’s history is cut off, update and accept may see no common commit.',
        'git fetch --unshallow',
      ),
    );
  }
  if (sparse.stdout.toString().trim() === 'true') {
    notes.push(
      warn(
        'repository',
        'The checkout is sparse: a job sees only the files that are checked out, and so judges less than the commit.',
        'git sparse-checkout disable, or see that every job’s files are in it.',
      ),
    );
  }
  const filled = [...steps, ...ensure].some((command) => command.includes('submodule'));
  if (hasSubmodules && !filled) {
    notes.push(
      warn(
        'repository',
        'There are submodules, and a new worktree has them empty.',
        `In ${CONFIG_FILE}: [worktree.setup] steps = ["git submodule update --init --recursive"]`,
      ),
    );
  }
  const many = worktrees.length - 1;
  return [fine('repository', `${commonDir} with ${count(many, 'linked checkout')}.`), ...notes];
}
