import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claude } from './claude.ts';
import { copilot } from './copilot.ts';
import type { Driver, Launch } from './driver.ts';
import type { Turn } from './model.ts';
import { stage } from './stage.ts';
import type { Answer } from './wires.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

const { make, home: newHome, begin, clear } = stage();

/** What a person may ask for, the words a model would search by between asterisks, and the tool it is about. */
const asked: [ask: string, verb: string][] = [
  ['*start* a new piece of work in its own *worktree*', 'start'],
  ['run the *tests*', 'test'],
  ['is my work *finished*? check it with the whole *gate*', 'done'],
  ['*land* my work on *main*', 'accept'],
  ['*merge* what I did into *main*', 'accept'],
  ['*throw* this *worktree* away', 'drop'],
  ['bring my *branch* up to *date* with main', 'update'],
  ['which *worktrees* are there', 'status'],
  ['*commit* my *changes*', 'commit'],
  ['fix the *formatting* and the *lint* errors', 'prepare'],
  ['*clean* up the *old* branches', 'prune'],
  ['something is *wrong* with the *setup*', 'doctor'],
  ['which *agents* are *running* on this machine', 'sessions'],
  ['*set* this *repository* up', 'init'],
];

const wordsOf = (ask: string) => [...ask.matchAll(/\*(\w+)\*/g)].map(([, word]) => word ?? '');

/** A client that defers tools and has its model search for them, with a second server of many tools. */
interface Searching {
  driver: Driver;
  search(words: string[]): Answer;
  /** The result of a search that found one of our tools, as this client names it. */
  named(verb: string): string;
}

/** The same client with the second server in its settings, which `once` has just written. */
const withOffice = (driver: Driver, more: (launch: Launch) => Promise<Record<string, string>>): Driver => ({
  ...driver,
  async once(launch) {
    const command = await driver.once(launch);
    const file = join(launch.home, 'mcp.json');
    const config = JSON.parse(await readFile(file, 'utf8'));
    config.mcpServers.office = {
      ...config.mcpServers.discern,
      args: [join(DISCERN_HOME, 'test/clients/office-server.mjs')],
    };
    await writeFile(file, JSON.stringify(config));
    return { ...command, env: { ...command.env, ...(await more(launch)) } };
  },
});

const clients: Searching[] = [
  {
    driver: withOffice(claude, async () => ({ ENABLE_TOOL_SEARCH: 'true' })),
    search: (words) => ({ tool: 'ToolSearch', input: { query: words.join(' '), max_results: 5 } }),
    named: (verb) => `mcp__discern__discern_${verb}`,
  },
  {
    driver: withOffice(copilot, async ({ home }) => {
      await mkdir(join(home, '.copilot'), { recursive: true });
      const flags = { enabledFeatureFlags: { TOOL_SEARCH_ANTHROPIC: true } };
      await writeFile(join(home, '.copilot', 'config.json'), JSON.stringify(flags));
      // It defers tools only for a model that it knows to take them later.
      return { COPILOT_MODEL: 'claude-sonnet-4.5' };
    }),
    search: (words) => ({ tool: 'tool_search_tool', input: { pattern: words.join('|'), limit: 5 } }),
    named: (verb) => `discern-discern_${verb}`,
  },
];

describe('Among many tools that are deferred', () => {
  afterEach(clear);

  for (const { driver, search, named } of clients) {
    it(`${driver.name}'s search finds ours by what a person asks for, and a tool that was found can be called`, async () => {
      const project = await make();
      const found = new Map<string, string>();
      let waited = 0;
      let searched = -1;
      const next: Turn = ({ result }) => {
        // The servers may still be starting when the first turn comes.
        if (searched < 0 && !result.includes(named('status'))) {
          return waited++ % 2 ? driver.shell('sleep 1') : search(['discern_status']);
        }
        const before = asked[searched++];
        if (before) found.set(before[0], result);
        const one = asked[searched];
        if (one) return search(wordsOf(one[0]));
        return searched === asked.length ? driver.ours('status') : { say: 'done' };
      };
      const { model, run } = await begin(driver, Array<Turn>(90).fill(next), {
        home: await newHome(),
        cwd: project.root,
      });
      await run.ended;
      const missed = asked.filter(([ask, verb]) => {
        const names = (found.get(ask) ?? '').split(/[\s"',[\]{}:]+/);
        return !names.includes(named(verb));
      });
      assert.deepEqual(
        missed.map(([ask, verb]) => [ask, verb, found.get(ask)]),
        [],
        run.said(),
      );
      assert.ok(model.results().at(-1)?.includes(project.root), model.results().at(-1));
    });
  }
});
