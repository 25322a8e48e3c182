import { appendFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, inTurn, Mcp, median, serverFile, withRepository } from '../measure.mjs';

const SESSION = '7d8f2c1e-0000-4000-8000-000000000001';
/** Calls a round: one alone is shorter than what else the machine does. */
const CALLS = 20;

/** A home as heavy users of a client have it: other projects, other days, and a long session. */
const homes = {
  'claude-code': (home, root) => {
    const projects = join(home, '.claude/projects');
    for (let n = 0; n < 100; n++) mkdirSync(join(projects, `-project-${n}`), { recursive: true });
    const line = `${JSON.stringify({ type: 'assistant', cwd: root, sessionId: SESSION, text: 'x'.repeat(2000) })}\n`;
    const file = join(projects, '-project-50', `${SESSION}.jsonl`);
    for (let n = 0; n < 20; n++) appendFileSync(file, line.repeat(500));
    const sessions = join(home, '.claude/sessions');
    mkdirSync(sessions, { recursive: true });
    const record = { pid: process.pid, sessionId: SESSION, cwd: root };
    writeFileSync(join(sessions, `${process.pid}.json`), JSON.stringify(record));
    return { env: { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: root } };
  },
  'copilot-cli': (home, root) => {
    const folder = join(home, '.copilot/session-state', SESSION);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'workspace.yaml'), `cwd: ${root}\n`);
    return { env: { COPILOT_AGENT_SESSION_ID: SESSION } };
  },
  'codex-mcp-client': (home, root) => {
    for (let n = 0; n < 50; n++) {
      const month = String(1 + Math.floor(n / 28)).padStart(2, '0');
      mkdirSync(join(home, '.codex/sessions/2026', month, String(1 + (n % 28)).padStart(2, '0')), {
        recursive: true,
      });
    }
    const line = `${JSON.stringify({ type: 'turn_context', payload: { cwd: root, text: 'x'.repeat(2000) } })}\n`;
    const file = join(home, '.codex/sessions/2026/01/01', `rollout-2026-01-01T10-00-00-${SESSION}.jsonl`);
    for (let n = 0; n < 20; n++) appendFileSync(file, line.repeat(500));
    return { env: {}, meta: { 'x-codex-turn-metadata': { session_id: SESSION } } };
  },
};

/**
 * What a call pays for the look at where its caller stands: the same call from a client that we know, and from one that tells nothing.
 * The slowest client counts.
 */
export const lookUp = {
  name: 'look-up of the caller, a call',
  against: 'a limit of 5 ms',
  target: 1,
  run: () =>
    withRepository({ files: 20 }, async (root, home) => {
      const figures = [];
      for (const [name, furnish] of Object.entries(homes)) {
        const own = realpathSync(home);
        const { env: extra, meta } = furnish(own, root);
        const known = new Mcp(process.execPath, [serverFile, '--root', root], {
          name,
          env: { ...env, HOME: own, ...extra },
        });
        const unknown = new Mcp(process.execPath, [serverFile, '--root', root], {
          name: 'bench',
          env: { ...env, HOME: own },
        });
        await Promise.all([known.open(), unknown.open()]);
        const calls = (mcp, given) => async () => {
          const times = [];
          for (let n = 0; n < CALLS; n++) {
            const began = performance.now();
            await mcp.call('discern_status', {}, given);
            times.push(performance.now() - began);
          }
          return median(times);
        };
        const { a, b } = await inTurn(7, calls(known, meta), calls(unknown));
        figures.push({ name, cost: a - b, ratio: a / b, without: b });
        await Promise.all([known.close(), unknown.close()]);
      }
      const [worst] = figures.sort((a, b) => b.cost - a.cost);
      const all = figures
        .map(({ name, cost, ratio }) => `${name} ${cost.toFixed(1)} ms, ${ratio.toFixed(2)}×`)
        .join('; ');
      return { ours: worst.cost, theirs: 5, note: `against a status without it: ${all}` };
    }),
};
