/** What hooks do without a `discern-vscode.toml`; apart from the schema, so that a hook need not load it to know. */
export const hookDefaults = { guard_writes: true, ask_for_proof: false } as const;
