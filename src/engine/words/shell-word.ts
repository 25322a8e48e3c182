/** A text as a POSIX shell reads it as one word, in quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** {@link shellQuoted}, without the quotes where none are needed. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text));
