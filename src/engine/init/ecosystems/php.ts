import { type Members, member, membersOf, type ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known, type Offer } from '../proposal.ts';
import { offersOf } from '../scripts.ts';

/** Tools Composer installs, for what no script does: the package, the config that must be there, the command. */
const tools: ['format' | 'lint' | 'typecheck' | 'test', string, RegExp | undefined, string][] = [
  ['format', 'laravel/pint', undefined, 'vendor/bin/pint'],
  ['format', 'friendsofphp/php-cs-fixer', /^\.php-cs-fixer(?:\.dist)?\.php$/, 'vendor/bin/php-cs-fixer fix'],
  ['lint', 'squizlabs/php_codesniffer', /^\.?phpcs\.xml(?:\.dist)?$/, 'vendor/bin/phpcs'],
  ['typecheck', 'phpstan/phpstan', /^phpstan(?:\.dist)?\.neon(?:\.dist)?$/, 'vendor/bin/phpstan analyse'],
  ['typecheck', 'vimeo/psalm', /^psalm(?:\.dist)?\.xml(?:\.dist)?$/, 'vendor/bin/psalm'],
  ['test', 'pestphp/pest', undefined, 'vendor/bin/pest'],
  ['test', 'phpunit/phpunit', /^phpunit\.xml(?:\.dist)?$/, 'vendor/bin/phpunit'],
];

/** composer.json: its scripts, and the tools it requires. */
export async function php(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.json('composer.json');
  if (!manifest) return undefined;
  const { offers, notes } = offersOf({
    where: 'composer.json scripts',
    bodies: scriptBodies(manifest),
    command: (name) => `composer run-script ${name}`,
  });
  for (const [job, name, config, command] of tools) {
    const taken = offers.some((one) => one.job === job);
    if (taken || !requires(manifest, name)) continue;
    if (config && files.matching(config).length === 0) continue;
    offers.push(known(job, command, `composer.json requires ${name}`) satisfies Offer);
  }
  return {
    name: 'php',
    offers,
    setup: [
      { command: 'composer install --no-interaction', from: files.first('composer.lock') ?? 'composer.json' },
    ],
    notes,
    files: ['composer.json', 'composer.lock'].filter((name) => files.has(name)),
  };
}

const requires = (manifest: Members, name: string) =>
  ['require', 'require-dev'].some((table) => member(member(manifest, table), name) !== undefined);

/** Scripts are a command or a list of them; `@name` in one calls another. */
function scriptBodies(manifest: Members): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const [name, value] of Object.entries(membersOf(member(manifest, 'scripts')) ?? {})) {
    const list = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
    if (list.length > 0)
      bodies.set(name, list.join('\n').replace(/^@(?=[\w:-]+$)/gm, 'composer run-script '));
  }
  return bodies;
}
