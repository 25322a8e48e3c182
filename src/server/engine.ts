/**
 * The engine is the larger part of the product; the server loads it at the first call that needs it, so that `tools/list`
 * need not wait and an idle server stays small.
 */
export const loadEngine = () => import('../engine/index.ts');

export type Engine = Awaited<ReturnType<typeof loadEngine>>;
