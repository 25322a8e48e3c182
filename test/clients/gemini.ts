import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, program } from './driver.ts';

/** Gemini CLI, with a key that only a scripted model takes. */
export const gemini: Driver = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  wire: 'generate',
  ours: (verb, input = {}) => ({ tool: `mcp_discern_discern_${verb}`, input }),
  shell: (command, workdir) => ({
    tool: 'run_shell_command',
    input: { command, description: 'Work', ...(workdir !== undefined && { dir_path: workdir }) },
  }),
  async once({ home, model, prompt, server: [command, ...args], resume }) {
    const own = join(home, '.gemini');
    await mkdir(own, { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
      ...(command !== undefined && { mcpServers: { discern: { command, args, trust: true } } }),
    };
    await writeFile(join(own, 'settings.json'), JSON.stringify(settings));
    return {
      file: program('gemini'),
      args: [
        ...(resume ? ['--resume', 'latest'] : []),
        '--yolo',
        '--skip-trust',
        '-m',
        'gemini-2.5-flash',
        '-p',
        prompt,
      ],
      env: {
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_API_KEY: 'none',
        GEMINI_TELEMETRY_ENABLED: 'false',
      },
    };
  },
};
