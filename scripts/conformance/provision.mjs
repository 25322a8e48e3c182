// Puts the protocol's own test suites and the MCP Inspector into .conformance/, each pinned, with a Node they run on where the one
// that runs this is older. They are other people's programs under their own licenses: installed for tests, never shipped.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installInto } from '../npm-folder.mjs';

/** The suites: the released one, and the one that also knows the revision of 2026-07-28. */
export const suites = { released: '0.1.16', next: '0.2.0-alpha.12' };
export const inspector = '2.12.0';
const NODE = '24.22.3';
const OLDEST_NODE = 22;

const folder = fileURLToPath(new URL('../../.conformance/', import.meta.url));

/** Installs what is missing; returns the paths of what is to be run. */
export function provision() {
  const newEnough = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const node = `node-${system}-${process.arch}`;
  const dependencies = {
    'suite-released': `npm:@modelcontextprotocol/conformance@${suites.released}`,
    'suite-next': `npm:@modelcontextprotocol/conformance@${suites.next}`,
    '@modelcontextprotocol/inspector': inspector,
    ...(!newEnough && { [node]: NODE }),
  };
  // The Inspector's own script of installation only builds what its package already holds.
  installInto(folder, dependencies, { what: 'the protocol’s test suites', args: ['--ignore-scripts'] });
  const within = (...parts) => join(folder, 'node_modules', ...parts);
  return {
    node: newEnough ? process.execPath : within(node, 'bin', system === 'win' ? 'node.exe' : 'node'),
    suiteFile: (suite) => within(`suite-${suite}`, 'dist', 'index.js'),
    inspectorFile: within('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js'),
  };
}
