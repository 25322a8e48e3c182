/** What hooks do without a `discern-vscode.toml`; apart from the schema, so that a hook need not load it to know. */
export const hookDefaults = { guard_writes: true, ask_for_proof: false } as const;

/** What a setting may be: true or false, one of these words, or a number from … to …. */
export type SettingKind = 'boolean' | readonly string[] | { from: number; to: number };

/**
 * The tables of `discern-vscode.toml` as a hook reads them, without the schema. A file with anything else in it is the schema's to
 * judge: what is missing here costs a hook time, and nothing else.
 */
export const settingNames: Readonly<Record<string, Readonly<Record<string, SettingKind>>>> = {
  callers: { follow: ['follow', 'refuse', 'tell'], guard_writes: 'boolean', ask_for_proof: 'boolean' },
  consent: { mode: ['never', 'ask'] },
  worktree: { keep: { from: 0, to: 36_500 } },
};
