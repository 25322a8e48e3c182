import { isAbsolute, join } from 'node:path';
import { isObject } from '../../contract/values.ts';
import { oneLine } from '../../contract/visible.ts';
import { homeOfUser } from '../callers/record-file.ts';
import { parseTree } from '../config/tree.ts';
import { readBounded } from '../files/bounded-file.ts';
import { member, parseJsonc } from '../init/project-files.ts';
import { namesAt, textAt } from '../init/toml-values.ts';

/** The settings of one client that may name models: where they are, and what names them. */
interface Settings {
  files(home: string, env: NodeJS.ProcessEnv): string[];
  models(text: string): unknown[];
}

const named = (value: string | undefined, fallback: string): string =>
  value !== undefined && isAbsolute(value) ? value : fallback;

const json = (find: (value: unknown) => unknown[]) => (text: string) => find(parseJsonc(text));

const settings: Record<string, Settings> = {
  claude: {
    files: (home, env) => [join(named(env.CLAUDE_CONFIG_DIR, join(home, '.claude')), 'settings.json')],
    models: json((value) => [member(value, 'model')]),
  },
  codex: {
    files: (home, env) => [join(named(env.CODEX_HOME, join(home, '.codex')), 'config.toml')],
    models(text) {
      const tree = parseTree(text);
      if (!('root' in tree)) return [];
      const { root } = tree;
      return [
        textAt(root, 'model'),
        ...namesAt(root, 'profiles').map((profile) => textAt(root, 'profiles', profile, 'model')),
      ];
    },
  },
  copilot: {
    files: (home, env) =>
      ['settings.json', 'config.json'].map((name) =>
        join(named(env.COPILOT_HOME, join(home, '.copilot')), name),
      ),
    models: json((value) => [member(value, 'model')]),
  },
  gemini: {
    files: (home, env) => [join(named(env.GEMINI_CLI_HOME, home), '.gemini', 'settings.json')],
    models: json((value) => [member(member(value, 'model'), 'name')]),
  },
  opencode: {
    files: (home, env) => [
      ...['config.json', 'opencode.json', 'opencode.jsonc'].map((name) =>
        join(named(env.XDG_CONFIG_HOME, join(home, '.config')), 'opencode', name),
      ),
      ...(env.OPENCODE_CONFIG !== undefined && isAbsolute(env.OPENCODE_CONFIG) ? [env.OPENCODE_CONFIG] : []),
    ],
    models: json((value) => [member(value, 'model'), member(value, 'small_model'), ...offered(value)]),
  },
};

/** opencode calls a model by its provider and its name. */
function offered(value: unknown): string[] {
  const providers = member(value, 'provider');
  if (!isObject(providers)) return [];
  return Object.entries(providers).flatMap(([provider, one]) => {
    const models = member(one, 'models');
    return isObject(models) ? Object.keys(models).map((model) => `${provider}/${model}`) : [];
  });
}

const MOST_BYTES = 1024 * 1024;
const MOST_MODELS = 20;
const LONGEST = 120;

/**
 * The models that a client's own settings of this user name, each once, as they are written there. A client whose settings were
 * never looked at has none, and so have settings that are broken: nothing is guessed.
 */
export async function modelsOf(client: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const known = settings[client];
  const home = homeOfUser(env);
  if (known === undefined || home === undefined) return [];
  const texts = await Promise.all(known.files(home, env).map((file) => readBounded(file, MOST_BYTES)));
  const models = texts
    .flatMap((read) => (read !== undefined && 'text' in read ? known.models(read.text) : []))
    .filter((model): model is string => typeof model === 'string' && model !== '' && model.length <= LONGEST);
  return [...new Set(models.map(oneLine))].slice(0, MOST_MODELS);
}
