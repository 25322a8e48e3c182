import type { Verb } from '../contract/verbs.ts';

/**
 * Verbs that begin at a directory, whether it is a project's or not: what they do is find out, or make it one. Every other
 * verb begins at a project root.
 */
export const beginsAnywhere: ReadonlySet<Verb> = new Set<Verb>(['init', 'doctor']);
