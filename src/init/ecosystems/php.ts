import { z } from 'zod';
import { type CheckName, type Ecosystem, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

const Names = z.record(z.string(), z.unknown()).catch({}).default({});
const Manifest = z.object({ require: Names, 'require-dev': Names, scripts: Names });

const FRAMEWORKS = [
  ['Laravel', 'laravel/framework'],
  ['Symfony', 'symfony/framework-bundle', 'symfony/symfony'],
  ['WordPress', 'johnpbloch/wordpress', 'roots/wordpress'],
  ['Slim', 'slim/slim'],
] as const;
const KEY_FILES = ['composer.json', 'artisan', 'app', 'src', 'routes', 'tests'];

/** Whatever has a composer.json. */
export const php: Ecosystem = {
  name: 'PHP',
  async detect(files) {
    if (!files.has('composer.json')) return undefined;
    const manifest = parseManifest((await files.read('composer.json')) ?? '');
    const packages = { ...manifest?.require, ...manifest?.['require-dev'] };
    const uses = (name: string) => Object.hasOwn(packages, name);
    const hasSail = uses('laravel/sail') && present(files, ['compose.yaml', 'docker-compose.yml']).length > 0;
    return {
      framework: frameworkOf(FRAMEWORKS, uses) ?? 'PHP',
      packageManager: 'composer',
      checks: checksOf(files, { uses, scripts: manifest?.scripts ?? {} }),
      setup: manifest === undefined ? [] : ['composer install --no-interaction --prefer-dist'],
      dependencyDirs: ['vendor'],
      keyFiles: present(files, KEY_FILES),
      notes: [
        ...(manifest === undefined ? ['composer.json is no JSON object, so nothing was read from it'] : []),
        ...(hasSail ? ['Laravel Sail is there: to run commands in it, set workspace.docker.service'] : []),
      ],
    };
  },
};

function checksOf(
  files: ProjectFiles,
  { uses, scripts }: { uses(name: string): boolean; scripts: Record<string, unknown> },
): FoundCheck[] {
  const checks: FoundCheck[] = [];
  const add = (name: CheckName, run: string) => checks.push({ name, run });
  if (Object.hasOwn(scripts, 'test')) add('test', 'composer test');
  else if (files.has('artisan')) add('test', 'php artisan test');
  else if (uses('pestphp/pest')) add('test', 'vendor/bin/pest');
  else if (uses('phpunit/phpunit')) add('test', 'vendor/bin/phpunit');
  if (Object.hasOwn(scripts, 'lint')) add('lint', 'composer lint');
  else if (uses('laravel/pint')) add('lint', 'vendor/bin/pint --test');
  if (uses('phpstan/phpstan') || uses('larastan/larastan'))
    add('typecheck', 'vendor/bin/phpstan analyse --no-progress');
  return checks;
}

function parseManifest(text: string): z.infer<typeof Manifest> | undefined {
  try {
    return Manifest.safeParse(JSON.parse(text)).data;
  } catch {
    // The caller reports that it is no JSON.
    return undefined;
  }
}
