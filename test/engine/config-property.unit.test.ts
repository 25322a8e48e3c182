import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Config, jobStages, knownJobs } from '../../src/contract/config.ts';
import { checkConfig } from '../../src/engine/config/index.ts';
import { plainName } from '../../src/engine/words/plain-name.ts';
import { tomlPieces } from '../support/toml-pieces.ts';

const snippets = [
  ...tomlPieces,
  ...[
    '\uFEFF',
    '\\u00',
    '\\U',
    '\ud800',
    '-',
    '+',
    '_',
    '0',
    '0x',
    '1e9',
    'inf',
    '[scopes.x]\npaths = ["a"]\n',
    '[capabilities]\n',
    '[checks.y]\n',
    '[job]\n',
    'worktree.',
    'resources.',
  ],
  ...['nan', 'true', '1979-05-27', 'T07:32:00', 'Z', 'jobs', 'lint', 'stage', 'run', '__proto__', '"a b"'],
  ...['[jobs]\n', '[jobs.x]\n', 'lint = "x"\n', 'lnt = "x"\n', 'run = 3\n', '[gate]\n', 'timeout = -1\n'],
];
const nearToml = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...snippets) }, fc.string({ maxLength: 4 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));
const anyText = fc.oneof(nearToml, fc.string({ unit: 'binary', maxLength: 200 }));

/** Every string TOML can say, NUL aside: a basic string, with what JSON leaves open escaped too. */
const quote = (text: string) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');
const filled = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '' && !text.includes('\0'));
const text = fc.string({ unit: 'grapheme', maxLength: 10 }).filter((one) => !one.includes('\0'));
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '10', '9'),
);
const positive = fc
  .double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true })
  .map((number) => number + 0);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0);

/** A part of a file: lines of TOML, and what they must be read as. */
interface Part<Read> {
  toml: string;
  read: Read;
}

const timeouts = fc
  .option(positive, { nil: undefined })
  .map(
    (seconds): Part<{ timeout?: number }> =>
      seconds === undefined
        ? { toml: '', read: {} }
        : { toml: `timeout = ${seconds}\n`, read: { timeout: Math.min(seconds, 2_147_483) } },
  );
const commands = fc.oneof(
  filled.map((one) => ({ toml: quote(one), read: [one] })),
  fc
    .array(filled, { minLength: 1, maxLength: 3 })
    .map((all) => ({ toml: `[ ${all.map(quote).join(' ,\n ')}, ]`, read: all })),
);
const globs = fc
  .array(filled, { minLength: 1, maxLength: 3 })
  .map((all) => ({ toml: `[${all.map(quote).join(', ')}]`, read: all }));

function namedTables<Read extends object>(
  section: string,
  table: fc.Arbitrary<Part<Read>>,
  taken: readonly string[] = [],
): fc.Arbitrary<Part<(Read & { name: string })[]>> {
  return fc
    .uniqueArray(fc.tuple(name, table), { selector: ([one]) => one, maxLength: 4 })
    .map((all) => all.filter(([one]) => !taken.includes(one)))
    .map((all) => ({
      toml: all.map(([one, part]) => `[${section}.${one}]\n${part.toml}`).join('\n'),
      read: all.map(([one, part]) => ({ ...part.read, name: one })),
    }));
}

const jobTable = fc.tuple(fc.constantFrom(...jobStages), commands, timeouts).map(([stage, run, timeout]) => ({
  toml: `stage = "${stage}"\nrun = ${run.toml}\n${timeout.toml}`,
  read: { stage, commands: run.read, ...timeout.read },
}));
const knownNames = Object.keys(knownJobs);
const knownTable = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.entries(knownJobs)), commands, fc.option(positive)), {
    selector: ([[one]]) => one,
  })
  .map((all) => ({
    toml: `[jobs]\n${all
      .map(([[one], run, timeout]) =>
        timeout === null
          ? `${one} = ${run.toml}\n`
          : `${one} = { timeout = ${timeout}, run = ${run.toml} }\n`,
      )
      .join('')}`,
    read: all.map(([[one, stage], run, timeout]) => ({
      name: one,
      stage,
      commands: run.read,
      ...(timeout !== null && { timeout: Math.min(timeout, 2_147_483) }),
    })),
  }));
const scopeTable = fc
  .tuple(
    globs,
    fc.boolean(),
    fc.option(commands, { nil: undefined }),
    fc.option(commands, { nil: undefined }),
    timeouts,
  )
  .map(([paths, neutral, preview, gate, timeout]) => ({
    toml: `paths = ${paths.toml}\nneutral = ${neutral}\n${preview ? `preview = ${preview.toml}\n` : ''}${gate ? `gate = ${gate.toml}\n` : ''}${timeout.toml}`,
    read: {
      paths: paths.read,
      neutral,
      previewable: preview !== undefined,
      ...(preview && { preview: preview.read }),
      ...(gate && { gate: gate.read }),
      ...timeout.read,
    },
  }));
const standardTable = fc
  .tuple(filled, fc.constantFrom('up', 'down'), number, commands, number, positive, timeouts)
  .map(([metric, direction, limit, run, scale, margin, timeout]) => ({
    toml: `metric = ${quote(metric)}\ndirection = "${direction}"\nlimit = ${limit}\nrun = ${run.toml}\nscale = ${scale}\nmargin = ${margin}\n${timeout.toml}`,
    read: { metric, direction, limit, run: run.read, scale, margin, ...timeout.read },
  }));
const resourceTable = fc
  .tuple(text, text, text, fc.boolean(), fc.nat(9), fc.boolean())
  .map(([create, destroy, ensure, required, retries, prunable]) => ({
    toml: `create = ${quote(create)}\ndestroy = ${quote(destroy)}\nensure = ${quote(ensure)}\nrequired = ${required}\nretries = ${retries}\nprunable = ${prunable}\n`,
    read: { create, destroy, ensure, required, retries, prunable },
  }));

const file = fc
  .record({
    title: text,
    known: knownTable,
    custom: namedTables('jobs', jobTable, knownNames),
    scopes: namedTables('scopes', scopeTable),
    standards: namedTables('standards', standardTable),
    // Two names that are one outside discern earn a note.
    resources: namedTables('worktree.resources', resourceTable).filter(
      ({ read }) => new Set(read.map(({ name: one }) => plainName(one))).size === read.length,
    ),
    gate: fc.tuple(fc.boolean(), positive),
    steps: fc.array(filled, { maxLength: 3 }),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ title, known, custom, scopes, standards, resources, gate: [failFast, limit], steps, eol }) => {
    const toml = [
      `[project]\nname = ${quote(title)}`,
      ...[known.toml, custom.toml, scopes.toml, standards.toml, resources.toml],
      `[gate]\nfail_fast = ${failFast}\ntimeout = ${limit}`,
      `[worktree.setup]\nsteps = [${steps.map(quote).join(', ')}]`,
    ].join('\n');
    const jobs = [...known.read, ...custom.read];
    return {
      toml: toml.replaceAll('\n', eol),
      read: {
        project: { name: title, slug: '' },
        repository: { branch_prefix: 'agent/', ensure: [] },
        jobs: jobStages.flatMap((stage) => jobs.filter((job) => job.stage === stage)),
        scopes: scopes.read,
        standards: standards.read,
        generated: [],
        acceptance: { pre_authorized: [] },
        checkpoints: [],
        gate: { fail_fast: failFast, timeout: Math.min(limit, 2_147_483), concurrent_test_runs: 1 },
        worktree: {
          root: '',
          export_port: false,
          inherit_env: [],
          env_files: ['.env', '.env.local'],
          setup: { steps, ensure: [] },
          resources: resources.read,
        },
      } satisfies Record<keyof Config, unknown>,
    };
  });

describe('any text', function () {
  this.timeout(60_000);

  it('is read or has problems, never neither, and each problem has its place inside the text', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const { config, problems } = checkConfig(given, 'discern.toml');
        assert.equal(config === undefined, problems.length > 0);
        const lines = given.replace(/^\uFEFF/, '').split('\n');
        for (const { line, column, endLine, endColumn } of problems) {
          const [first, last] = [lines[line - 1], lines[endLine - 1]];
          assert.ok(first !== undefined && column >= 1 && column <= first.length + 1, `${line}:${column}`);
          assert.ok(
            last !== undefined && endColumn >= 1 && endColumn <= last.length + 1,
            `${endLine}:${endColumn}`,
          );
          assert.ok(endLine > line || (endLine === line && endColumn >= column), 'ends before it begins');
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('changes no object but its own', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(fc.constantFrom('__proto__', 'constructor', 'prototype'), nearToml, (word, given) => {
        checkConfig(`[${word}]\nx1 = 1\n[jobs.${word}.${word}]\nx2 = 1\n${given}`, 'discern.toml');
        checkConfig(`${word}.x3 = 1\njobs.${word}.x4 = { ${word}.x5 = 1 }\n`, 'discern.toml');
        assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
      }),
    );
  });
});

describe('a valid file', function () {
  this.timeout(60_000);

  it('is read as what was written, names, strings, numbers and order alike', () => {
    fc.assert(
      fc.property(file, ({ toml, read }) => {
        const { config, problems, notes } = checkConfig(toml, 'discern.toml');
        assert.deepEqual({ problems, notes }, { problems: [], notes: [] });
        assert.deepEqual(config, read);
      }),
      { numRuns: 300 },
    );
  });

  it('with one unknown key has one problem, at that key, however it is indented', () => {
    const padding = fc.array(fc.constantFrom('', '# note é😀', '[map]\n', '  # [gate]'), { maxLength: 5 });
    const blank = fc.stringMatching(/^[ \t]{0,5}$/);
    fc.assert(
      fc.property(padding, blank, blank, fc.constantFrom('\n', '\r\n'), (above, indent, gap, eol) => {
        const once = above.filter((line, index) => line !== '[map]\n' || above.indexOf(line) === index);
        const before = `${once.join('\n')}\n[gate]\nfail_fast = true\n`;
        const { problems } = checkConfig(
          `${before}${indent}timeot${gap}=${gap}3\n`.replaceAll('\n', eol),
          'f',
        );
        const line = before.split('\n').length;
        assert.deepEqual(problems, [
          {
            message: 'unknown key "timeot" in [gate]; did you mean "timeout"?',
            key: 'gate.timeot',
            line,
            column: indent.length + 1,
            endLine: line,
            endColumn: indent.length + 7,
          },
        ]);
      }),
    );
  });
});
