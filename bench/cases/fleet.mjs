import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, git, Mcp, median, serverFile } from '../measure.mjs';

const PROJECTS = 20;
const WORKTREES = 10;
const LIMIT = 1_500;

/** The first `fleet` of a server on 20 projects of 10 worktrees each, of which some have changes, commits and a phase. */
export const fleet = {
  name: 'fleet, 200 worktrees in 20 projects',
  against: `the limit of ${LIMIT} ms`,
  target: 1,
  async run() {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-bench-')));
    const state = join(home, 'state');
    const own = { ...env, HOME: home, DISCERN_STATE_DIR: state };
    try {
      const roots = Array.from({ length: PROJECTS }, (_, n) => make(home, n));
      const meeting = new Mcp(process.execPath, [serverFile], { env: own });
      await meeting.open();
      for (const path of roots) await meeting.call('discern_status', { path });
      await meeting.close();
      const times = [];
      for (let round = 0; round < 5; round++) {
        const mcp = new Mcp(process.execPath, [serverFile], { env: own });
        await mcp.open();
        const began = performance.now();
        const { data } = await mcp.call('discern_fleet', {});
        times.push(performance.now() - began);
        if (data.worktrees !== PROJECTS * (WORKTREES + 1)) throw new Error(`${data.worktrees} worktrees`);
        await mcp.close();
      }
      return { ours: median(times), theirs: LIMIT, note: 'a server’s first' };
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};

function make(home, n) {
  const root = join(home, `app${n}`);
  for (let file = 0; file < 100; file++) {
    mkdirSync(join(root, 'src', `dir${file % 10}`), { recursive: true });
    writeFileSync(join(root, 'src', `dir${file % 10}`, `file${file}.txt`), `line ${file}\n`.repeat(20));
  }
  writeFileSync(join(root, 'discern.toml'), `[project]\nname = "app${n}"\n`);
  git(root, 'init', '--quiet', '--initial-branch', 'main');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', 'everything');
  for (let one = 0; one < WORKTREES; one++) {
    const path = join(home, `app${n}.worktrees`, `work${one}`);
    git(root, 'worktree', 'add', '--quiet', '-b', `agent/work${one}`, path);
    if (one % 5 === 0) writeFileSync(join(path, 'src', 'new.txt'), 'x\n');
    if (one % 3 === 0) git(path, 'commit', '--quiet', '--allow-empty', '-m', `work ${one}`);
    writeFileSync(git(path, 'rev-parse', '--absolute-git-dir').concat('/discern-phase'), 'testing: all\n');
  }
  return root;
}
