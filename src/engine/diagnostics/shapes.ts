import type { DocumentShape, LineShape } from './finding.ts';
import { biome } from './shapes/biome.ts';
import { colon } from './shapes/colon.ts';
import { esbuild } from './shapes/esbuild.ts';
import { eslintStylish, eslintUnix } from './shapes/eslint.ts';
import { goBuild, goTest } from './shapes/go.ts';
import { junit } from './shapes/junit.ts';
import { nodeStack, nodeTests } from './shapes/node.ts';
import { pytest } from './shapes/pytest.ts';
import { python, unittest } from './shapes/python.ts';
import { rust } from './shapes/rust.ts';
import { sarif } from './shapes/sarif.ts';
import { tap } from './shapes/tap.ts';
import { tsc } from './shapes/tsc.ts';

/** Read first, and cut out of the text. If they hold an error, nothing else is read. */
export const documents: readonly DocumentShape[] = [sarif, junit];

/**
 * Read in this order, each shape seeing only the lines no earlier one took, and a rank only where no earlier
 * rank named an error. Test runners come first: what tests print may look like anything, a compiler's errors
 * included. Stacks come last, since a log may hold some that are no failure.
 */
export const ranks: readonly (readonly LineShape[])[] = [
  [tap, pytest, unittest, goTest, goBuild, rust, nodeTests],
  [tsc, biome, esbuild, eslintStylish, eslintUnix, colon],
  [python, nodeStack],
];
