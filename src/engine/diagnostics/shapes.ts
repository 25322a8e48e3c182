import type { DocumentShape, LineShape } from './finding.ts';
import { biome } from './shapes/biome.ts';
import { colon } from './shapes/colon.ts';
import { esbuild } from './shapes/esbuild.ts';
import { eslintStylish, eslintUnix } from './shapes/eslint.ts';
import { goBuild, goTest } from './shapes/go.ts';
import { junit } from './shapes/junit.ts';
import { nodeStack } from './shapes/node.ts';
import { pytest } from './shapes/pytest.ts';
import { python } from './shapes/python.ts';
import { rust } from './shapes/rust.ts';
import { sarif } from './shapes/sarif.ts';
import { tap } from './shapes/tap.ts';
import { tsc } from './shapes/tsc.ts';

/** Read first, and cut out of the text. If they hold an error, nothing else is read. */
export const documents: readonly DocumentShape[] = [sarif, junit];

/**
 * Read in this order, each seeing only the lines no earlier one took. Test runners come first, since what
 * their tests printed may look like anything; the most general shape comes last.
 */
export const reports: readonly LineShape[] = [
  tap,
  pytest,
  goTest,
  rust,
  tsc,
  biome,
  esbuild,
  eslintStylish,
  eslintUnix,
  goBuild,
  colon,
];

/** Read only where no report named an error: a stack in a log is no failure if a tool has named one. */
export const stacks: readonly LineShape[] = [python, nodeStack];
