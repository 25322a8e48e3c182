import type { Verb } from '../contract/verbs.ts';

/** Verbs that are about no checkout: they take no `path`, wait for nothing, and answer wherever they are called. */
export const needsNoRoot: ReadonlySet<Verb> = new Set<Verb>(['help']);
