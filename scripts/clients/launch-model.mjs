// The launch-model experiment: runs each agent client once with a recorder before the server, and writes what it saw as the
// table of docs/clients.md. `--check` only compares the versions in that table with the pinned ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildProduct, buildTests } from '../../esbuild.mjs';
import { provision, versions } from './provision.mjs';

const page = new URL('../../docs/clients.md', import.meta.url);
const [begins, ends] = ['<!-- seen by npm run clients:table -->', '<!-- end of what was seen -->'];

/** The table between its marks. */
function tableIn(text) {
  const [before, rest] = text.split(begins);
  const [table, after] = (rest ?? '').split(ends);
  if (after === undefined) throw new Error(`docs/clients.md has no table between "${begins}" and "${ends}".`);
  return { before, table: table.trim(), after };
}

/** Throws when a version in the table is not the one that the tests install. */
export function checkVersions() {
  const { table } = tableIn(readFileSync(page, 'utf8'));
  const [head = ''] = table.split('\n');
  const seen = head.split('|').flatMap((cell) => /\s(\d[\w.-]*)\s*$/.exec(cell)?.[1] ?? []);
  const pinned = Object.values(versions);
  const unlike = [
    ...pinned.filter((one) => !seen.includes(one)),
    ...seen.filter((one) => !pinned.includes(one)),
  ];
  if (unlike.length > 0) {
    throw new Error(
      `The table of docs/clients.md is of other versions (${unlike.join(', ')}): npm run clients:table`,
    );
  }
}

async function write() {
  provision();
  await buildProduct();
  await buildTests(['test/clients/launch-model.ts']);
  const built = new URL('../../out/test/clients/launch-model.mjs', import.meta.url);
  const { observe, observed, tableOf } = await import(built.href).catch(
    // One entry lies at the top of the folder.
    () => import(new URL('../../out/launch-model.mjs', import.meta.url).href),
  );
  const columns = [];
  for (const driver of observed) {
    process.stderr.write(`${driver.name}…\n`);
    columns.push([driver, versions[driver.package], await observe(driver)]);
  }
  const { before, after } = tableIn(readFileSync(page, 'utf8'));
  writeFileSync(page, `${before}${begins}\n\n${tableOf(columns)}\n\n${ends}${after}`);
  process.stderr.write(`Written: ${fileURLToPath(page)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--check')) checkVersions();
  else await write();
}
