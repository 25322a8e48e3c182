/**
 * Variables that redirect git to another repository, index or object store. The first group is what
 * `git rev-parse --local-env-vars` prints; the rest change which repository is found, which refs are seen or how
 * pathspecs are read. A hook or an outer git sets them, and they would aim our git at the wrong tree.
 */
const redirectsGit = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_COUNT',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
  'GIT_QUARANTINE_PATH',
  'GIT_ATTR_SOURCE',
  'GIT_REFERENCE_BACKEND',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
]);

/** How a server is to serve, its secret among that, and what it was told of its own checkout: none is a job's business. */
const isOurs = (name: string) =>
  name === 'DISCERN_ROOT' || /^DISCERN_(?:MCP_|(?:PHASE|TODO)_FILE$|(?:WORKTREE|RESOURCE)(?:_|$))/.test(name);

/** What a VS Code or Electron host leaves in the environment of everything it starts. */
const isHosts = (name: string) => name === 'ELECTRON_RUN_AS_NODE' || name.startsWith('VSCODE_');

/** VS Code points these at a script of its own, which asks through a socket its other variables name. */
const askers = new Set(['GIT_ASKPASS', 'SSH_ASKPASS']);

const isConfigEntry = (name: string) => /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);

/**
 * The user's environment less everything that redirects git, less the host's own, less our secrets
 * (contract §6). On Windows names are compared without case.
 */
export function scrubbedEnv(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const clean: NodeJS.ProcessEnv = {};
  const asksHost = env.VSCODE_GIT_ASKPASS_MAIN !== undefined;
  for (const [name, value] of Object.entries(env)) {
    const key = platform === 'win32' ? name.toUpperCase() : name;
    if (redirectsGit.has(key) || isConfigEntry(key) || isOurs(key) || isHosts(key)) continue;
    if (asksHost && askers.has(key)) continue;
    clean[name] = value;
  }
  return clean;
}
