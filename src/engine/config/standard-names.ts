/** The name of the job that measures a standard. */
export const standardJob = (name: string) => `standard:${name}`;
