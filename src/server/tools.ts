import type { ToolEntry } from './manifest.ts';

/**
 * The tools a server offers. With `readOnly` those that only look: every tool that may change something is withheld, since a
 * tool an agent can see is a tool it will try to call. What mutates is read from the registry, never listed here.
 */
export function offeredTools<V extends string>(
  tools: readonly ToolEntry<V>[],
  readOnly: boolean,
): ToolEntry<V>[] {
  if (!readOnly) return [...tools];
  return tools.flatMap((tool) => {
    if (tool.annotations.readOnlyHint === true) return [tool];
    if (tool.looking === undefined) return [];
    const annotations = { ...tool.annotations, readOnlyHint: true };
    return [{ ...tool, description: tool.looking, annotations }];
  });
}

/** The names of the tools that are withheld. */
export function withheldFrom(
  all: readonly { name: string }[],
  offered: readonly { name: string }[],
): string[] {
  const names = new Set(offered.map(({ name }) => name));
  return all.map(({ name }) => name).filter((name) => !names.has(name));
}
