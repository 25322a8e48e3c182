/** Who commits what discern keeps, and now (an empty date): it is nobody's own work, so nobody's environment decides of it. */
export const identity = {
  GIT_AUTHOR_NAME: 'discern',
  GIT_AUTHOR_EMAIL: 'discern@localhost',
  GIT_COMMITTER_NAME: 'discern',
  GIT_COMMITTER_EMAIL: 'discern@localhost',
  GIT_AUTHOR_DATE: '',
  GIT_COMMITTER_DATE: '',
};
