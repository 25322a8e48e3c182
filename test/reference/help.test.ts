import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import help from '../../generated/help.json';
import { commands } from '../../src/cli/commands.ts';
import { shared } from '../../src/cli/options.ts';
import { configSchema, type JsonSchema } from '../../src/contract/config-schema.ts';
import { refusals } from '../../src/contract/refusals.ts';
import { verbNames, verbs } from '../../src/contract/verbs.ts';
import { buildHelp, withGenerated } from '../../src/reference/pages.ts';
import { cli } from '../support/cli.ts';

declare const DISCERN_HOME: string;

const textOf = (topic: string) => help.pages.find((page) => page.topic === topic)?.text ?? '';
const read = (file: string) => readFileSync(join(DISCERN_HOME, file), 'utf8');

describe('The help', () => {
  it('has pages that begin with a title and a line that sums them up, short enough for an agent', () => {
    assert.deepEqual(
      help.pages.map(({ topic }) => topic),
      [
        'roots',
        'gate',
        'reuse',
        'landing',
        'queueing',
        'fleet',
        'notes',
        'agents',
        'parking',
        'verbs',
        'config',
        'settings',
        'refusals',
        'setup',
        'hooks',
        'vscode',
        'remote',
        'troubleshooting',
      ],
    );
    for (const { topic, title, summary, text } of help.pages) {
      assert.ok(title.length < 40 && summary.length > 30 && summary.length < 110, topic);
      assert.ok(!text.includes('<!--'), topic);
      const most = ['verbs', 'config', 'refusals', 'settings'].includes(topic) ? 17_000 : 3_200;
      assert.ok(text.length < most, `${topic} has ${text.length} characters`);
    }
    assert.throws(() => buildHelp({ bad: 'no title\n' }), /bad\.md must begin with a title/);
  });

  it('has generated parts in docs/help that are what the registries say', () => {
    for (const topic of ['config', 'settings', 'verbs']) {
      const source = read(`docs/help/${topic}.md`);
      assert.equal(
        source,
        withGenerated(topic, source),
        `docs/help/${topic}.md is not what the product says now: run "npm run docs"`,
      );
    }
  });

  for (const verb of verbNames) {
    it(`explains ${verb}, each of its flags and arguments`, () => {
      const entry = help.entries[verb];
      assert.ok(entry, `there is no section "## ${verb}" in docs/help/verbs.md: run "npm run docs"`);
      const { options, positionals } = commands[verb];
      for (const option of Object.keys(options)) assert.ok(entry.text.includes(`\`--${option}\``), option);
      for (const name of Object.keys(positionals)) assert.ok(entry.text.includes(`- \`${name}\`: `), name);
      for (const name of Object.keys(verbs[verb].args.shape)) {
        assert.match(entry.text, new RegExp(`^- \`${name}\` \\(`, 'm'), `the argument ${name} of ${verb}`);
      }
    });
  }

  it('explains the flags of every verb, and those of the server', async () => {
    for (const option of Object.keys(shared)) assert.ok(textOf('verbs').includes(`\`--${option}\``), option);
    const { stdout } = await cli(['mcp', '--help'], { cwd: '/' });
    const flags = [...new Set(stdout.match(/--[a-z-]+/g))];
    assert.ok(flags.length >= 5);
    const pages = help.pages.map(({ text }) => text).join('\n');
    for (const flag of flags)
      assert.ok(pages.includes(flag), `no page of docs/help explains ${flag} of discern mcp`);
  });

  for (const slug of refusals) {
    it(`says what to do about ${slug}`, () => {
      assert.match(
        help.entries[slug]?.text ?? '',
        /^# \w+\n\nMeans: .{10,}\.\n\nDo: .{10,}\.$/,
        `docs/help/refusals.md needs a row for ${slug}: | \`${slug}\` | what it means | what to do |`,
      );
    });
  }

  it('explains no refusal that is none', () => {
    const rows = [...textOf('refusals').matchAll(/^\| `(\w+)`/gm)].map(([, slug]) => slug);
    assert.deepEqual(rows, [...refusals]);
  });

  it('explains every table and key of discern.toml', () => {
    const text = textOf('config');
    const walk = (schema: JsonSchema, path: string) => {
      for (const [name, one] of Object.entries(schema.properties ?? {})) {
        const full = path === '' ? name : `${path}.${name}`;
        const said =
          text.includes(`\`${name}\` (`) || text.includes(`## [${full}]`) || text.includes(`\`${full}\``);
        if (one.not === undefined && !isNamedOnly(one))
          assert.ok(said, `the topic config says nothing of ${full}`);
        if (one.deprecated !== true) walk(one, full);
      }
      if (
        typeof schema.additionalProperties === 'object' &&
        Object.keys(schema.additionalProperties).length > 0
      ) {
        assert.ok(text.includes(`## [${path}.<name>]`), path);
        walk(schema.additionalProperties, `${path}.<name>`);
      }
    };
    walk(configSchema(), '');
  });
});

/** A table that holds named tables and nothing else has no lines of its own. */
const isNamedOnly = (schema: JsonSchema) =>
  schema.properties === undefined && typeof schema.additionalProperties === 'object';

describe('The documentation', () => {
  const pages = [
    ...['README.md', 'CHANGELOG.md'],
    ...readdirSync(join(DISCERN_HOME, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file)),
    ...readdirSync(join(DISCERN_HOME, 'media/walkthrough')).map((file) => join('media/walkthrough', file)),
  ];

  /** What headings are linked by, as GitHub makes it. */
  const anchors = (file: string) =>
    [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  for (const page of pages) {
    it(`has links in ${page} that lead somewhere`, () => {
      const prose = read(page).replace(/```[\s\S]*?```/g, '');
      for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        assert.ok(existsSync(join(DISCERN_HOME, file)), `${target} in ${page}`);
        assert.ok(!relative('.', file).startsWith('..'), `${target} in ${page} leads out of the repository`);
        if (anchor !== undefined) assert.ok(anchors(file).includes(anchor), `${target} in ${page}`);
      }
    });
  }
});
