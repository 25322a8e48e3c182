import { join } from 'node:path';
import { endElsewhere } from './checkouts.ts';
import { git, gitSubmodule, type Project, projects } from './project.ts';
import { newTally, Walk } from './walk.ts';

const { make, removeAll } = projects();

/**
 * How many steps in all, where DISCERN_PROPERTY_STEPS does not say; DISCERN_PROPERTY_SEED repeats one walk. On CI the walks are
 * the same every time, so that a red build is the doing of a change; elsewhere each run walks anew.
 */
const STEPS = Number(process.env.DISCERN_PROPERTY_STEPS ?? 400);
const PER_WALK = 100;
const named = process.env.DISCERN_PROPERTY_SEED;
const first = named !== undefined ? Number(named) : process.env.CI ? 1 : Date.now() & 0x7fffffff;
const walks = named === undefined ? Math.ceil(STEPS / PER_WALK) : 1;

const config =
  '[project]\nname = "sample"\n\n[jobs]\ntest = "! grep -rq BROKEN src own.txt dir 2>/dev/null"\n';

/** A project with a submodule, which no checkout has populated yet. */
async function withSubmodule(): Promise<Project> {
  const project = await make({ config });
  const library = join(project.home, 'library.git');
  await git(project.home, 'clone', '--quiet', '--bare', project.root, library);
  await gitSubmodule(project.root, 'add', library, 'sub');
  await project.commit({});
  await git(project.root, 'submodule', '--quiet', 'deinit', '--force', 'sub');
  return project;
}

/** One of `parts` shares of the walks, so that test files that run side by side share them. */
export function describeWalks(part: number, parts: number): void {
  const indexes = Array.from({ length: walks }, (_, index) => index).filter(
    (index) => index % parts === part,
  );
  if (indexes.length === 0) return;
  const steps = (index: number) => Math.min(PER_WALK, STEPS - index * PER_WALK);
  const sum = indexes.reduce((all, index) => all + steps(index), 0);
  describe(`Random work of ${sum} steps in ${indexes.length} repositories, from seed ${first + part}`, function () {
    this.timeout(600_000);
    const tally = newTally();
    afterEach(() => {
      endElsewhere();
      return removeAll();
    });
    after(() => {
      const list = (counts: Record<string, number>) =>
        Object.entries(counts)
          .sort()
          .map(([name, number]) => `${name} ${number}`)
          .join(', ');
      console.log(
        [
          `    ${tally.steps} steps, ${tally.kills} processes killed, ${tally.landed} landings; seeds ${indexes.map((index) => first + index).join(' ')}`,
          `    ${list(tally.actions)}`,
          `    refused: ${list(tally.refusals)}`,
        ].join('\n'),
      );
    });

    for (const index of indexes) {
      const seed = first + index;
      it(`loses nothing and lands nothing unproved (seed ${seed})`, async () => {
        const walk = await Walk.open(await withSubmodule(), seed, tally);
        try {
          for (let step = steps(index); step > 0; step--) await walk.step();
          await walk.end();
        } catch (error) {
          // Beside the error: what shows a difference shows no message.
          console.log(
            `Again: DISCERN_PROPERTY_SEED=${seed}. What was done:\n${walk.history.slice(-400).join('\n')}`,
          );
          throw error;
        }
      });
    }
  });
}
