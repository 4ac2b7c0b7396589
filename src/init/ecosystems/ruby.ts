import { type CheckName, type Ecosystem, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

const FRAMEWORKS = [
  ['Rails', 'rails'],
  ['Hanami', 'hanami'],
  ['Sinatra', 'sinatra'],
] as const;
const KEY_FILES = ['Gemfile', 'config', 'app', 'lib', 'spec', 'test'];

/** Whatever has a Gemfile. */
export const ruby: Ecosystem = {
  name: 'Ruby',
  async detect(files) {
    if (!files.has('Gemfile')) return undefined;
    const text = (await files.read('Gemfile')) ?? '';
    const uses = (name: string) => new RegExp(`^[ \\t]*gem[ \\t(]*["']${name}["']`, 'm').test(text);
    return {
      framework: frameworkOf(FRAMEWORKS, uses) ?? 'Ruby',
      packageManager: 'bundler',
      checks: checksOf(files, uses),
      setup: ['bundle install'],
      dependencyDirs: ['vendor/bundle'],
      keyFiles: present(files, KEY_FILES),
      notes: [],
    };
  },
};

function checksOf(files: ProjectFiles, uses: (name: string) => boolean): FoundCheck[] {
  const checks: FoundCheck[] = [];
  const add = (name: CheckName, run: string) => checks.push({ name, run });
  const usesRspec = uses('rspec') || uses('rspec-rails');
  if (files.has('spec') && usesRspec) add('test', 'bundle exec rspec');
  else if (files.has('test') && uses('rails')) add('test', 'bundle exec rails test');
  else if (files.has('test') && files.has('Rakefile')) add('test', 'bundle exec rake test');
  if (['rubocop', 'rubocop-rails', 'rubocop-rails-omakase'].some(uses)) add('lint', 'bundle exec rubocop');
  return checks;
}
