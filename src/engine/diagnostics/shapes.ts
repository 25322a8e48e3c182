import type { DocumentShape, LineShape } from './finding.ts';
import { biome } from './shapes/biome.ts';
import { blockShape } from './shapes/blocks.ts';
import { colon } from './shapes/colon.ts';
import { commands } from './shapes/commands.ts';
import { esbuild } from './shapes/esbuild.ts';
import { frames } from './shapes/frames.ts';
import { goBuild, goTest } from './shapes/go.ts';
import { eslintUnix, headed } from './shapes/headed.ts';
import { jsonReports } from './shapes/json-reports.ts';
import { junit } from './shapes/junit.ts';
import { mypy } from './shapes/mypy.ts';
import { nodeStack, nodeTests } from './shapes/node.ts';
import { pytest } from './shapes/pytest.ts';
import { python, unittest } from './shapes/python.ts';
import { rowShape } from './shapes/rows.ts';
import { rust } from './shapes/rust.ts';
import { sarif } from './shapes/sarif.ts';
import { tables } from './shapes/tables.ts';
import { tap } from './shapes/tap.ts';
import {
  ava,
  javaStack,
  rubyStack,
  scriptReports,
  surefireSummary,
  testReports,
} from './shapes/test-reports.ts';
import { tsc } from './shapes/tsc.ts';
import { xmlReports } from './shapes/xml-reports.ts';
import { documentTools } from './tools/documents.ts';
import { javascript } from './tools/javascript.ts';
import { jvm } from './tools/jvm.ts';
import { languages } from './tools/languages.ts';
import { native } from './tools/native.ts';
import { python as pythonTools } from './tools/python.ts';
import { scripts } from './tools/scripts.ts';

export { plainLines } from './shapes/plain-lines.ts';

/** Read first, and cut out of the text: what machines write is surer than what people read. */
export const documents: readonly DocumentShape[] = [sarif, junit, xmlReports, jsonReports];

/** The tools whose findings stand on one line each. */
export const rows = [
  ...javascript,
  ...pythonTools,
  ...jvm,
  ...native,
  ...scripts,
  ...documentTools,
  ...languages,
];

/**
 * Read in this order, each shape seeing only the lines no earlier one took. Test runners come first: what tests print may
 * look like anything, a compiler's errors included.
 */
export const ranks: readonly (readonly LineShape[])[] = [
  [
    commands,
    tap,
    pytest,
    unittest,
    scriptReports,
    ava,
    testReports,
    surefireSummary,
    goTest,
    rust,
    nodeTests,
  ],
  [frames, mypy, blockShape, tables, tsc, biome, esbuild, headed, eslintUnix, rowShape(rows), goBuild, colon],
];

/** Read where nothing above names an error, since a log may hold stacks that are no failure. */
export const stacks: readonly LineShape[] = [python, javaStack, rubyStack, nodeStack];
