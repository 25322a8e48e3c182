import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known, type Offer } from '../proposal.ts';

const gemLine = /^\s*(?:gem|\w+\.add(?:_development|_runtime)?_dependency)[\s(]+["']([\w.-]+)["']/gm;

/** Gemfile, and the gemspecs beside it: the gems that are declared there. */
export async function ruby(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const gemfile = await files.text('Gemfile');
  if (gemfile === undefined) return undefined;
  const specs = /^\s*gemspec\b/m.test(gemfile) ? files.matching(/\.gemspec$/) : [];
  const texts = [gemfile, ...(await Promise.all(specs.map((name) => files.text(name))))];
  const gems = new Set(
    texts.flatMap((text) => [...(text ?? '').matchAll(gemLine)].map(([, name = '']) => name)),
  );
  const offers: Offer[] = [];
  const offer = (job: 'lint' | 'test', gem: string, command: string) =>
    offers.push(known(job, command, `Gemfile declares ${gem}`));
  const rubocop = [...gems].find((gem) => /^rubocop(?:-|$)/.test(gem));
  if (rubocop !== undefined) offer('lint', rubocop, 'bundle exec rubocop');
  else if (gems.has('standard')) offer('lint', 'standard', 'bundle exec standardrb');
  const rakefile = (await files.text('Rakefile')) ?? '';
  const spec = ['rspec', 'rspec-rails'].find((gem) => gems.has(gem));
  if (spec !== undefined) offer('test', spec, 'bundle exec rspec');
  else if (gems.has('rails') && files.has('test') && files.has('bin'))
    offer('test', 'rails', 'bin/rails test');
  else if (/Rake::TestTask|Minitest::TestTask|^\s*task\s*\(?\s*:?["']?test\b/m.test(rakefile)) {
    offers.push(known('test', 'bundle exec rake test', 'Rakefile test'));
  }
  return {
    name: 'ruby',
    offers,
    setup: [
      { command: 'bundle install', from: files.first('Gemfile.lock') ?? 'Gemfile' },
      ...(gems.has('rails') && files.has('db') && files.has('bin')
        ? [{ command: 'bin/rails db:test:prepare', from: 'Gemfile declares rails' }]
        : []),
    ],
    notes: [],
    files: ['Gemfile', 'Gemfile.lock', 'Rakefile', ...specs].filter((name) => files.has(name)),
  };
}
