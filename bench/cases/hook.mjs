import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, git, inTurn, serverFile, timed, withRepository } from '../measure.mjs';

const hookFile = join(serverFile, '..', 'hook.js');

/** One event as a client's hook asks about it, less a bare node, against the 60 ms an agent does not feel. */
const hookCase = (what, { settings, tool }) => ({
  name: `hook: ${what}, less bare node`,
  against: 'a limit of 60 ms',
  target: 1,
  run: () =>
    withRepository({ files: 20 }, async (root, home) => {
      const linked = join(home, 'linked');
      git(root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
      if (settings) writeFileSync(join(linked, 'discern-vscode.toml'), settings);
      const input = JSON.stringify({ session_id: 's', cwd: linked, ...tool(root) });
      const asked = () => {
        const began = performance.now();
        const { stdout } = spawnSync(process.execPath, [hookFile, 'claude', 'PreToolUse'], {
          input,
          encoding: 'utf8',
          env: { ...env, DISCERN_STATE_DIR: join(home, 'state') },
        });
        if (!stdout.includes('"deny"')) throw new Error(`the hook denied nothing: ${stdout}`);
        return performance.now() - began;
      };
      const { a, b } = await inTurn(11, asked, () => timed(process.execPath, ['-e', '0']));
      return { ours: a - b, theirs: 60, note: `bare node ${b.toFixed(0)} ms` };
    }),
});

const write = (root) => ({ tool_name: 'Write', tool_input: { file_path: join(root, 'src', 'a.txt') } });
const command = (root) => ({
  tool_name: 'Bash',
  tool_input: { command: `cd ${root} && sed -i 's/a/b/' src/a.txt && git commit -am x` },
});

export const hook = hookCase('PreToolUse', { tool: write });
export const hookWithSettings = hookCase('PreToolUse with a discern-vscode.toml', {
  settings: '[callers]\nfollow = "follow"\nguard_writes = true\nask_for_proof = false\n',
  tool: write,
});
export const hookOnCommand = hookCase('PreToolUse of a shell command', { tool: command });
