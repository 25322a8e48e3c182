import assert from 'node:assert/strict';
import fc from 'fast-check';
import { configSchema } from '../../src/contract/config-schema.ts';
import { checkConfig } from '../../src/engine/config/index.ts';
import { explanation } from '../../src/extension/toml/explain.ts';
import { type Offer, offers } from '../../src/extension/toml/offer.ts';
import { scan, zoneAt } from '../../src/extension/toml/scan.ts';
import { published } from '../support/published-config.ts';

const schema = configSchema();

/** The text of a marked one, and the zone at its mark `|`. */
function marked(text: string) {
  const offset = text.indexOf('|');
  const plain = text.slice(0, offset) + text.slice(offset + 1);
  const zones = scan(plain);
  return { plain, offset, zones, zone: zoneAt(zones, offset) };
}

function offered(text: string): Offer[] {
  const { zones, zone } = marked(text);
  return zone ? offers(schema, zones, zone) : [];
}

const labels = (text: string) => offered(text).map(({ label }) => label);
const inserts = (text: string) =>
  Object.fromEntries(offered(text).map(({ label, insert }) => [label, insert]));

/** What a text becomes when an offer is taken and nothing is filled in but its first choices. */
function taken(text: string, label: string): string {
  const { plain, offset, zones, zone } = marked(text);
  const offer = zone && offers(schema, zones, zone).find((one) => one.label === label);
  assert.ok(zone && offer, `${label} is offered in ${text}`);
  const filled = offer.insert.replace(/\$\{\d+[|:]([^,|}]*)[^}]*\}/g, '$1').replace(/\$\d/g, 'x');
  return `${plain.slice(0, zone.gap ? offset : zone.start)}${filled}${plain.slice(zone.gap ? offset : zone.end)}`;
}

describe('Completion in discern.toml', () => {
  it('offers the keys of a table that are not there yet, with their type and default', () => {
    assert.deepEqual(labels('[gate]\ntimeout = 5\n|\n[jobs]').slice(0, 3), [
      'fail_fast',
      'stream_output',
      'concurrent_test_runs',
    ]);
    const [failFast] = offered('[gate]\n|');
    assert.equal(failFast?.detail, 'true or false, default true');
    assert.match(failFast?.documentation ?? '', /Stop the other jobs/);
    assert.equal(failFast?.insert, `fail_fast = \${1|false,true|}`);
    assert.ok(labels('[gate]\nfail|_fast').includes('fail_fast'), 'the key one stands in is still offered');
  });

  it('offers no older spelling, and no stage for a known job', () => {
    assert.deepEqual(
      labels('[project]\n|').filter((one) => /main_branch|graduate_to/.test(one)),
      [],
    );
    assert.deepEqual(
      labels('|').filter((one) => /capabilities|checks|ratchets/.test(one)),
      [],
    );
    const evidence = ['inputs', 'needs', 'artifacts', 'environment', 'toolchain'];
    assert.deepEqual(labels('[jobs]\ntest = { | }'), ['run', 'timeout', ...evidence]);
  });

  it('offers tables in a header, without those there are', () => {
    assert.deepEqual(labels('[project]\n[worktree]\n[|]'), [
      'repository',
      'jobs',
      'jobs.<name>',
      'scopes.<name>',
      'standards.<name>',
      'generated.<name>',
      'acceptance',
      'checkpoints.<name>',
      'gate',
      'worktree.setup',
      'worktree.resources.<name>',
      ...['map', 'instructions', 'skills', 'scripts', 'setup', 'coupling'],
    ]);
    assert.deepEqual(labels('[worktree.|'), ['setup', 'resources.<name>']);
    assert.equal(inserts('[worktree.|')['resources.<name>'], `resources.\${1:name}`);
  });

  it('offers a new table at the beginning of a line, with the keys it cannot do without', () => {
    assert.equal(inserts('|')['[scopes.<name>]'], `[scopes.\${1:name}]\npaths = ["$2"]\n`);
    assert.equal(
      inserts('[gate]\n|')['[jobs.<name>]'],
      `[jobs.\${1:name}]\nstage = "\${2|fix,build,check,test|}"\nrun = "$3"\n`,
    );
    assert.ok(!labels('[gate]\ntimeout.|').some((one) => one.startsWith('[')), 'not behind a dot');
  });

  it('offers the values of an enumeration, true and false, and a default', () => {
    assert.deepEqual(labels('[jobs.x]\nstage = |'), ['"fix"', '"build"', '"check"', '"test"']);
    assert.deepEqual(labels('[jobs.x]\nstage = "|"'), ['"fix"', '"build"', '"check"', '"test"']);
    assert.deepEqual(labels('[gate]\nfail_fast = |'), ['true', 'false']);
    assert.deepEqual(labels('[repository]\nbranch_prefix = |'), ['"agent/"']);
    assert.deepEqual(labels('[jobs]\ntest = |'), []);
  });

  it('offers nothing in a comment, in a stranger’s table, or behind a finished value', () => {
    for (const text of ['# |', '[map]\ndir = "x" |', '[gate]\ntimeout = 5 # |', '[mine]\ndir = |']) {
      assert.deepEqual(labels(text), [], text);
    }
    assert.deepEqual(
      labels('[mine]\n|').filter((one) => !one.startsWith('[')),
      [],
    );
  });

  it('helps with the tables that only others read, by what the published format says of them', () => {
    assert.deepEqual(
      labels('[skills]\n|').filter((one) => !one.startsWith('[')),
      ['dir', 'exclude'],
    );
    assert.deepEqual(labels('[map]\ndir = |'), ['"discern/map"']);
    assert.equal(offered('[skills]\n|')[1]?.detail, 'list, default []');
  });

  it('offers what a standard is measured by with it', () => {
    assert.equal(
      inserts('|')['[standards.<name>]'],
      `[standards.\${1:name}]\ndirection = "\${2|up,down|}"\nlimit = $3\nrun = "$4"\n`,
    );
  });

  it('keeps a file sound: whatever table is taken, the reader takes it too', () => {
    const all = labels('[jobs]\n|').filter((one) => one.startsWith('['));
    assert.ok(all.length >= 9);
    for (const label of all) {
      const text = taken('[jobs]\n|', label).replace('limit = x', 'limit = 1');
      assert.deepEqual(checkConfig(text, 'f').problems, [], text);
    }
  });

  it('keeps a file sound: whatever key is taken, the reader knows it there', () => {
    for (const table of [
      'project',
      'repository',
      'jobs',
      'gate',
      'worktree',
      'worktree.setup',
      'worktree.resources.x',
    ]) {
      for (const label of labels(`[${table}]\n|`).filter((one) => !one.startsWith('['))) {
        const text = taken(`[${table}]\n|`, label).replace('= x', '= 1');
        assert.deepEqual(checkConfig(text, 'f').problems, [], text);
      }
    }
  });

  it('answers at any place of any text', () => {
    fc.assert(
      fc.property(fc.nat(published.length), fc.nat(40), (offset, gone) => {
        const text = published.slice(0, offset) + published.slice(offset + gone);
        const zones = scan(text);
        const zone = zoneAt(zones, offset);
        if (zone) assert.ok(Array.isArray(offers(schema, zones, zone)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('Hover in discern.toml', () => {
  const said = (text: string) => {
    const { zone } = marked(text);
    return zone && explanation(schema, zone);
  };

  it('says what a key is, its type and its default', () => {
    assert.equal(
      said('[gate]\ntime|out = 5'),
      '`timeout`: number, default 600\n\nSeconds any one job may take; 0 means no limit.',
    );
    assert.match(
      said('[jobs.x]\nst|age = "fix"') ?? '',
      /^`stage`: "fix" or "build" or "check" or "test", required\n/,
    );
    assert.match(
      said('[jobs]\nte|st = "t"') ?? '',
      /^`test`: string or list of strings or table\n\nTest stage/,
    );
  });

  it('says what a table is, and of a value what its key says', () => {
    assert.match(said('[worktree.se|tup]') ?? '', /^`\[worktree.setup\]`: table\n\nCommands/);
    assert.match(said('[scopes.do|cs]') ?? '', /^`\[scopes.docs\]`: table\n\nA region/);
    assert.equal(said('[gate]\ntimeout = 5|'), said('[gate]\ntime|out = 5'));
  });

  it('says of an older spelling which is the new one', () => {
    assert.match(said('[project]\nmain_b|ranch = "x"') ?? '', /Older spelling of \[repository\]\.trunk\./);
  });

  it('is silent on what the format does not know', () => {
    for (const text of ['[mine]\nd|ir = "x"', '[gate]\nx| = 1', '# x|', '[gate]\n|\n'])
      assert.equal(said(text), undefined);
  });
});
