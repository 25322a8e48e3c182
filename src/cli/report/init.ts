import type { InitData } from '../../contract/data.ts';
import type { Ink } from '../ink.ts';

/** The text of the proposed file, until it is written: then the file has it. */
export function initLines({ text, written }: Partial<InitData>, ok: boolean, ink: Ink): string[] {
  if (!ok || text === undefined || written) return [];
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${ink.dim(ink.plainMark('bar'))} ${/^\s*#/.test(line) ? ink.dim(line) : line}`);
}
