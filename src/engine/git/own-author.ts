/** Who commits what discern keeps: it is nobody's own work. */
export const identity = {
  GIT_AUTHOR_NAME: 'discern',
  GIT_AUTHOR_EMAIL: 'discern@localhost',
  GIT_COMMITTER_NAME: 'discern',
  GIT_COMMITTER_EMAIL: 'discern@localhost',
};
