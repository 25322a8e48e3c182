// `npm run test:conformance`: the protocol's own suites, and the MCP Inspector's command line, against the built server. What was
// seen is docs/conformance.md; with --write it is written there, else a run that sees something else fails.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProduct } from '../../esbuild.mjs';
import { inspect, run } from './inspect.mjs';
import { judge, readChecks } from './judge.mjs';
import { inspector, provision, suites } from './provision.mjs';
import { notApplicable, standIns } from './scenarios.mjs';
import { standIn } from './stand-in.mjs';
import { startSubject } from './subject.mjs';

const page = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

const tools = provision();
await buildProduct();
const subject = await startSubject();
const output = mkdtempSync(join(tmpdir(), 'discern-suites-'));
const seen = {};
let inspected;
try {
  const way = await standIn(subject.url, subject.token, standIns(subject.root, subject.work));
  for (const suite of Object.keys(suites)) {
    const folder = join(output, suite);
    const args = ['server', '--url', way.url, '--suite', 'all', '--output-dir', folder];
    // Its exit code counts scenarios of other servers' features; what it wrote is judged here.
    await run(tools.node, [tools.suiteFile(suite), ...args], subject.env);
    seen[suite] = judge(readChecks(folder), notApplicable);
  }
  way.close();
  inspected = await inspect(tools, subject);
} finally {
  await subject.close();
  rmSync(output, { recursive: true, force: true });
}

const wrong = [...Object.values(seen).flatMap((one) => one.wrong), ...inspected.wrong];
const names = new Set(
  Object.values(seen).flatMap((one) => [...one.passed, ...one.excepted].map(({ name }) => name)),
);
const unknown = Object.keys(notApplicable).filter((name) => !names.has(name));
wrong.push(...unknown.map((name) => `${name}: no suite has this scenario any more`));

const text = pageOf();
if (process.argv.includes('--write')) writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) {
  wrong.push('docs/conformance.md says something else: npm run test:conformance -- --write');
}
for (const [suite, { passed, excepted }] of Object.entries(seen)) {
  process.stdout.write(
    `suite ${suites[suite]}: ${passed.length} scenarios pass, ${excepted.length} exceptions\n`,
  );
}
process.stdout.write(
  `Inspector ${inspector}: ${inspected.passed.length - inspected.wrong.length} commands pass\n`,
);
for (const one of wrong) process.stdout.write(`wrong: ${one}\n`);
process.exit(wrong.length === 0 ? 0 : 1);

/** What was seen, as a page. */
function pageOf() {
  const section = ([suite, { passed, excepted }]) => [
    `## Suite ${suites[suite]}`,
    '',
    `Passed, with the number of checks: ${passed.map(({ name, checks }) => `\`${name}\` (${checks})`).join(', ')}.`,
    '',
    '| not tried, or excepted | why |',
    '| --- | --- |',
    ...excepted.map(
      ({ name, check, reason }) => `| \`${name}\`${check ? `, check \`${check}\`` : ''} | ${reason} |`,
    ),
    '',
  ];
  return [
    '# Conformance',
    '',
    'What the protocol’s own test suites say of the built server, and the MCP Inspector’s command line. `npm run test:conformance`',
    'runs them and fails when it sees anything else; `-- --write` writes this page.',
    '',
    'The suites are for servers made to be tested: they call tools of names like `test_simple_text`. They reach this server by a small',
    'proxy (`scripts/conformance/stand-in.mjs`) that adds the secret and puts a name of this server’s own for each of theirs that it has a',
    'match for. No answer is changed.',
    '',
    ...Object.entries(seen).flatMap(section),
    `## MCP Inspector ${inspector}`,
    '',
    `Its command line, over stdio, is answered as it should be: ${inspected.passed.map((one) => `\`${one}\``).join(', ')}. \`tools/list\` is`,
    'asked for strictly: a schema that some client could not read would be an error.',
    '',
  ].join('\n');
}
