/** The system's name of an error (`ENOENT`), where it is one of the system's. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
