/**
 * A member of a request's `_meta`: with it a server answers with the whole envelope, as the CLI's `--json` has it, instead of the
 * short one that agents pay for. The extension asks for it.
 */
export const wholeAnswer = 'discern/whole';
