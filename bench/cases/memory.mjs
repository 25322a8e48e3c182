import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mcp, serverFile, withRepository } from '../measure.mjs';

/** Resident memory in MiB (proc(5)); this figure needs Linux. */
const resident = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** An idle server's memory, its engine loaded, against an idle node. */
export const memory = {
  name: 'server memory, idle',
  against: 'bare node',
  target: 1.6,
  unit: 'MiB',
  run: () =>
    withRepository({ files: 20 }, async (root) => {
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      await sleep(3000);
      const ours = resident(mcp.pid);
      await mcp.close();
      const node = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
      await sleep(1000);
      const theirs = resident(node.pid);
      node.kill();
      return { ours, theirs };
    }),
};
