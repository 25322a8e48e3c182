// A small real project, for looking at the product and for its tests in VS Code.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Who commits in samples, without the settings of whoever runs them. */
export const identity = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A Developer',
  GIT_AUTHOR_EMAIL: 'dev@example.invalid',
  GIT_COMMITTER_NAME: 'A Developer',
  GIT_COMMITTER_EMAIL: 'dev@example.invalid',
};

/** Where a program looks for what belongs to its user, below `home`: nothing of whoever runs this is seen, or changed. */
export const ownUser = (home) => ({
  DISCERN_STATE_DIR: join(home, 'user', 'state'),
  CLAUDE_CONFIG_DIR: join(home, 'user', 'claude'),
  CODEX_HOME: join(home, 'user', 'codex'),
  COPILOT_HOME: join(home, 'user', 'copilot'),
  GEMINI_CLI_HOME: join(home, 'user', 'gemini'),
});

const files = {
  'discern.toml': `[project]
name = "sample"

[jobs]
lint = "! grep -rn BROKEN src"
test = "test -f src/a.txt"
`,
  'src/a.txt': 'a\n',
};

/** Makes the project in a temp folder of its own, at `name` in it; the caller removes `home`. */
export function makeSample(name = 'app') {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-window-')));
  const project = join(home, name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  const git = (...args) => {
    const { status, stderr } = spawnSync('git', args, {
      cwd: project,
      env: { ...process.env, ...identity },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  };
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'a sample');
  return { home, project };
}
