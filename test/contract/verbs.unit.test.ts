import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gateVerbs } from '../../src/contract/gate-verbs.ts';
import { isVerb, mayRunCommands, needsNoRoot, seeksAmongKnown, traits } from '../../src/contract/traits.ts';
import { type Verb, verbNames, verbs } from '../../src/contract/verbs.ts';
import { instructions } from '../../src/server/instructions.ts';

declare const DISCERN_HOME: string;

const where = (is: (verb: Verb) => boolean) => verbNames.filter(is);

describe('The table of verbs', () => {
  it('is what the programs read their traits from, verb by verb', () => {
    assert.deepEqual(Object.keys(traits), verbNames);
    for (const verb of verbNames) assert.deepEqual(traits[verb], verbs[verb].traits, verb);
  });

  it('says of every verb that runs commands that it may: a call that shows or writes only is told apart', () => {
    const args = (verb: Verb) => (verb === 'prune' ? { dry_run: false } : {});
    assert.deepEqual(
      where((verb) => !mayRunCommands(traits[verb], args(verb))),
      [
        'status',
        'scopes',
        'doctor',
        'help',
        'explain',
        'verify',
        'fleet',
        'peek',
        'projects',
        'sessions',
        'recollect',
        'phase',
        'todo',
        'describe',
        'ticket',
        'park',
        'unpark',
        'agents',
        'remap',
        'queue',
      ],
    );
    const calls: [Verb, Record<string, unknown>, boolean][] = [
      ['prune', {}, false],
      ['prune', { dry_run: true }, false],
      ['prune', { dry_run: false }, true],
      ['init', {}, true],
      ['init', { dry_run: false, prove: true }, true],
      ['init', { dry_run: true }, false],
      ['init', { prove: false }, false],
      ['accept', { dry_run: true }, true],
      ['queue', { action: 'hold' }, false],
      ['queue', { action: 'run' }, true],
      ['await', {}, true],
    ];
    for (const [verb, given, may] of calls) {
      assert.equal(mayRunCommands(traits[verb], given), may, `${verb} ${JSON.stringify(given)}`);
    }
  });

  it('fails closed: of a verb nobody classified it is feared that it runs commands', () => {
    assert.equal(mayRunCommands({}, { dry_run: true }), true);
    assert.equal(mayRunCommands({ runsCommands: undefined }, {}), true);
  });

  it('asks of arguments only where the verb takes them', () => {
    for (const verb of verbNames) {
      const { runsCommands: runs } = traits[verb];
      if (typeof runs === 'string') continue;
      for (const name of Object.keys('when' in runs ? runs.when : runs.unless)) {
        assert.ok(name in verbs[verb].args.shape, `${verb} ${name}`);
      }
    }
  });

  it('does not contradict itself', () => {
    for (const verb of verbNames) {
      const { annotations, looking, args } = verbs[verb];
      const { runsCommands, movesHeldRoot, callerElsewhere, refreshesViews } = traits[verb];
      if (annotations.readOnlyHint) {
        assert.deepEqual([runsCommands, movesHeldRoot, refreshesViews], ['never', false, false], verb);
        assert.equal(looking, null, `${verb} always looks`);
      }
      // Reading the status again after a status would never end.
      if (looking !== null) assert.equal(refreshesViews, false, verb);
      if (movesHeldRoot) assert.equal(refreshesViews, true, verb);
      if (needsNoRoot(verb)) assert.equal(callerElsewhere, 'ignore', verb);
      if (!seeksAmongKnown(verb))
        assert.equal('path' in args.shape, !needsNoRoot(verb), `${verb} takes path`);
    }
    assert.deepEqual(
      where((verb) => traits[verb].gateView === 'offers'),
      gateVerbs,
    );
  });

  it('names the commands of the palette as package.json does', async () => {
    const read = async (name: string) => JSON.parse(await readFile(join(DISCERN_HOME, name), 'utf8'));
    const titles: Record<string, string> = await read('package.nls.json');
    const { contributes } = await read('package.json');
    const ids = (contributes.commands as { command: string }[]).map(({ command }) => command);
    for (const verb of verbNames) {
      const { palette } = traits[verb];
      assert.equal(titles[`command.${verb}`] ?? null, palette, verb);
      assert.equal(ids.includes(`discern.${verb}`), palette !== null, verb);
    }
  });

  it('has every tool the instructions of a server name', () => {
    for (const text of Object.values(instructions).flatMap((one) => Object.values(one))) {
      for (const [, name] of text.matchAll(/discern_(\w+)/g)) {
        assert.ok(isVerb(name), name);
      }
    }
  });

  it('tells names of verbs from other words, those of every object among them', () => {
    for (const verb of verbNames) assert.equal(isVerb(verb), true);
    for (const word of ['', 'acept', 'constructor', 'toString', '__proto__', 7, null, undefined]) {
      assert.equal(isVerb(word), false, String(word));
    }
  });
});
