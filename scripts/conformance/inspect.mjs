import { spawn } from 'node:child_process';
import { serverFile } from './subject.mjs';

/** What the Inspector's command line is asked for, over stdio, and what each answer has to hold. */
const asked = ({ root }) => [
  ['tools/list', ['--strict'], ({ tools }) => tools.some(({ name }) => name === 'discern_done')],
  [
    'tools/call',
    ['--tool-name', 'discern_status'],
    ({ structuredContent }) => structuredContent.ok === true && structuredContent.data.root === root,
  ],
  [
    'tools/call',
    ['--tool-name', 'discern_done', '--advertise-apps', '--app-info'],
    ({ hasApp, resourceMimeType }) => hasApp && resourceMimeType === 'text/html;profile=mcp-app',
  ],
  ['resources/list', [], ({ resources }) => resources.some(({ uri }) => uri === 'discern://root')],
  [
    'resources/read',
    ['--uri', 'discern://root'],
    ({ contents }) => JSON.parse(contents[0].text).root === root,
  ],
  ['prompts/list', [], ({ prompts }) => prompts.length === 3],
  [
    'prompts/get',
    ['--prompt-name', 'start-work', '--prompt-args', 'work=x'],
    ({ messages }) => messages[0].content.text.includes('discern_start'),
  ],
];

/** Runs the Inspector's command line against the built server. Resolves with what passed and what is wrong. */
export async function inspect({ node, inspectorFile }, subject) {
  const results = await Promise.all(
    asked(subject).map(async ([method, args, holds]) => {
      const target = [process.execPath, serverFile, '--root', subject.root];
      const { code, stdout, stderr } = await run(
        node,
        [inspectorFile, '--cli', ...target, '--method', method, ...args],
        { ...subject.env, HOME: subject.home, USERPROFILE: subject.home },
      );
      const good = code === 0 && holds(JSON.parse(stdout));
      return good
        ? undefined
        : `Inspector: ${method}: it ended with ${code}: ${(stderr || stdout).slice(0, 2_000)}`;
    }),
  );
  return {
    passed: asked(subject).map(([method, args]) => (args.includes('--app-info') ? '--app-info' : method)),
    wrong: results.filter((one) => one !== undefined),
  };
}

export function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        said[name] += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
}
