/** The names of jobs, scopes, standards, generated groups, resources and checkpoints. */
export const namePattern = /^[A-Za-z0-9_-]+$/;
