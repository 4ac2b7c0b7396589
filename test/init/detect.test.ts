import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectProject } from '../../src/init/detect.ts';
import { makeProject } from './project.ts';

const json = (value: unknown) => JSON.stringify(value);
const npm = (dependencies: Record<string, string>, scripts: Record<string, string> = { test: 'vitest run' }) => ({
  'package.json': json({ scripts, dependencies }),
  'package-lock.json': '{}',
});

type Row = { name: string; files: Record<string, string>; manager: string; checks: string[]; setup: string[] };

/** Files of a project, and what they say about it. */
const TABLE: Row[] = [
  ...[
    ['Next.js', 'next'],
    ['Nuxt', 'nuxt'],
    ['SvelteKit', '@sveltejs/kit'],
    ['Astro', 'astro'],
    ['Remix', '@remix-run/react'],
    ['Angular', '@angular/core'],
    ['NestJS', '@nestjs/core'],
    ['Vue', 'vue'],
    ['React', 'react'],
    ['Express', 'express'],
  ].map(([name = '', dependency = '']) => ({
    name,
    files: npm({ [dependency]: '1' }),
    manager: 'npm',
    checks: ['npm test'],
    setup: ['npm ci'],
  })),
  {
    name: 'Express',
    files: { ...npm({ express: '1' }), '.gitignore': 'package-lock.json\n' },
    manager: 'npm',
    checks: ['npm test'],
    setup: ['npm install'],
  },
  {
    name: 'Node.js',
    files: {
      'package.json': json({
        packageManager: 'pnpm@9.1.0',
        scripts: { lint: 'eslint .', 'type-check': 'tsc' },
        devDependencies: { eslint: '9' },
      }),
    },
    manager: 'pnpm',
    checks: ['pnpm run lint', 'pnpm run type-check'],
    setup: ['pnpm install'],
  },
  {
    name: 'Node.js',
    files: { 'package.json': json({ scripts: { test: 'bun test' }, dependencies: { a: '1' } }), 'bun.lock': '' },
    manager: 'bun',
    checks: ['bun run test'],
    setup: ['bun install --frozen-lockfile'],
  },
  {
    name: 'React',
    files: {
      'package.json': json({ dependencies: { react: '19', typescript: '5' } }),
      'tsconfig.json': '{}',
      'yarn.lock': '',
      '.yarnrc.yml': '',
    },
    manager: 'yarn',
    checks: ['yarn run tsc --noEmit'],
    setup: ['yarn install --immutable'],
  },
  {
    name: 'Laravel',
    files: {
      'composer.json': json({ require: { 'laravel/framework': '11' }, 'require-dev': { 'laravel/pint': '1' } }),
      artisan: '',
    },
    manager: 'composer',
    checks: ['php artisan test', 'vendor/bin/pint --test'],
    setup: ['composer install --no-interaction --prefer-dist'],
  },
  {
    name: 'Django',
    files: { 'manage.py': '', 'requirements.txt': 'Django==5.0\n' },
    manager: 'pip',
    checks: ['.venv/bin/python manage.py test'],
    setup: ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'],
  },
  {
    name: 'Flask',
    files: { 'pyproject.toml': '[tool.poetry.dependencies]\nflask = "^3"\npytest = "^8"\n', 'poetry.lock': '' },
    manager: 'poetry',
    checks: ['poetry run pytest'],
    setup: ['poetry install --no-interaction'],
  },
  {
    name: 'FastAPI',
    files: {
      'pyproject.toml':
        '[project]\ndependencies = ["fastapi>=0.1"]\n[dependency-groups]\ndev = ["pytest", "ruff", "mypy"]\n',
      'uv.lock': '',
    },
    manager: 'uv',
    checks: ['uv run pytest', 'uv run ruff check .', 'uv run mypy .'],
    setup: ['uv sync --frozen'],
  },
  {
    name: 'Rails',
    files: { Gemfile: 'source "x"\ngem "rails", "~> 8"\ngem "rspec-rails"\n', 'spec/a_spec.rb': '' },
    manager: 'bundler',
    checks: ['bundle exec rspec'],
    setup: ['bundle install'],
  },
  {
    name: 'Go',
    files: { 'go.mod': 'module x\n\ngo 1.22\n' },
    manager: 'go',
    checks: ['go test ./...', 'go vet ./...'],
    setup: [],
  },
  {
    name: 'Rust',
    files: { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n', 'Cargo.lock': '' },
    manager: 'cargo',
    checks: ['cargo test --workspace'],
    setup: ['cargo fetch --locked'],
  },
  {
    name: 'Spring',
    files: { 'pom.xml': '<artifactId>spring-boot-starter</artifactId>', mvnw: '' },
    manager: 'maven',
    checks: ['./mvnw --batch-mode test'],
    setup: [],
  },
  {
    name: 'Gradle',
    files: { 'build.gradle.kts': 'plugins { java }', gradlew: '' },
    manager: 'gradle',
    checks: ['./gradlew --no-daemon test'],
    setup: [],
  },
  {
    name: 'ASP.NET Core',
    files: {
      'a.sln': '',
      'src/web/web.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />',
      'test/t/t.csproj': 'Microsoft.NET.Test.Sdk',
    },
    manager: 'dotnet',
    checks: ['dotnet test'],
    setup: ['dotnet restore'],
  },
  {
    name: 'Phoenix',
    files: { 'mix.exs': 'defp deps, do: [{:phoenix, "~> 1.7"}]', 'test/a_test.exs': '' },
    manager: 'mix',
    checks: ['mix test'],
    setup: ['mix deps.get'],
  },
];

describe('what is found out about a project', () => {
  it.each(TABLE)('$name with $manager', async ({ name, files, manager, checks, setup }) => {
    using project = makeProject(files);
    const found = await detectProject(project.root);
    expect(found.frameworks[0]).toEqual({ name, folder: '' });
    expect(found.packageManagers).toEqual([manager]);
    expect(found.checks.filter(({ isWanted }) => isWanted).map(({ run }) => run)).toEqual(checks);
    expect(found.setup).toEqual(setup);
    expect(found.base).toBe('main');
  });

  it('takes no test for one that is only the placeholder, or that never ends', async () => {
    using project = makeProject(
      npm({}, { test: 'echo "Error: no test specified" && exit 1', lint: 'eslint --watch .' }),
    );
    const found = await detectProject(project.root);
    expect(found.checks).toEqual([]);
    expect(found.notes[0]).toBe('the script "lint" waits for changes and never ends, so it is no check');
  });

  it('fetches submodules first, if they have an address of their own', async () => {
    const modules = (url: string) => `[submodule "a"]\n\tpath = a\n\turl = ${url}\n`;
    using own = makeProject({ ...npm({ x: '1' }, { test: 'x' }), '.gitmodules': modules('https://example.org/a.git') });
    using relative = makeProject({ '.gitmodules': modules('../a.git') });
    expect((await detectProject(own.root)).setup).toEqual(['git submodule update --init --recursive', 'npm ci']);
    const { setup, notes } = await detectProject(relative.root);
    expect([setup, notes[0]]).toEqual([[], expect.stringContaining('submodules with a relative address')]);
  });

  it('keeps the build out of the checks where something proves more, and uses it where nothing does', async () => {
    using tested = makeProject(npm({}, { test: 'x', build: 'y' }));
    using plain = makeProject(npm({}, { build: 'y' }));
    expect((await detectProject(tested.root)).checks.map(({ isWanted }) => isWanted)).toEqual([true, false]);
    expect((await detectProject(plain.root)).checks).toEqual([{ name: 'build', run: 'npm run build', isWanted: true }]);
  });

  it.each([
    {
      title: 'its own runner, its requirements and tox',
      files: {
        'pyproject.toml': '[project]\n',
        'tests/runtests.py': '',
        'tests/requirements/py3.txt': '',
        'tox.ini': '',
      },
      checks: ['.venv/bin/python tests/runtests.py'],
    },
    { title: 'tox', files: { 'setup.py': '', 'tox.ini': '[tox]\n' }, checks: ['tox'] },
    { title: 'nox', files: { 'setup.py': '', 'noxfile.py': '' }, checks: ['nox'] },
    {
      title: 'groups of uv and the configuration of mypy',
      files: {
        'pyproject.toml':
          '[dependency-groups]\ndev = ["tox"]\ntests = ["pytest>=8"]\ntyping = ["mypy"]\n[tool.mypy]\nfiles = ["src"]\n',
        'uv.lock': '',
      },
      checks: ['uv run --group tests pytest', 'uv run --group typing mypy'],
    },
    {
      title: 'mypy configured in mypy.ini',
      files: { 'setup.py': '', 'mypy.ini': '[mypy]\nstrict = true\npackages = a\n' },
      checks: ['.venv/bin/python -m mypy'],
    },
  ])('finds the entry points of Python: $title', async ({ files, checks }) => {
    using project = makeProject(files);
    const found = await detectProject(project.root);
    expect(found.checks.filter(({ isWanted }) => isWanted).map(({ run }) => run)).toEqual(checks);
  });

  it('installs the requirements of the tests too', async () => {
    using project = makeProject({ 'pyproject.toml': '[project]\n', 'tests/requirements/py3.txt': '' });
    expect((await detectProject(project.root)).setup).toContain(
      '.venv/bin/python -m pip install -e . -r tests/requirements/py3.txt',
    );
  });

  it('installs the tools of the checks where no list that pip installs has them', async () => {
    using project = makeProject({
      'pyproject.toml': '[project]\nname = "a"\n[tool.pytest.ini_options]\n[tool.mypy]\npackages = "a"\n',
      'requirements.txt': 'mypy==1\n',
    });
    expect((await detectProject(project.root)).setup).toEqual([
      'python3 -m venv .venv',
      '.venv/bin/python -m pip install -r requirements.txt pytest',
    ]);
  });

  it('reads the workflows: plain commands fill gaps, others are reported', async () => {
    using project = makeProject({
      ...npm({}, { test: 'x' }),
      '.github/workflows/ci.yml': [
        'jobs:',
        '  a:',
        '    steps:',
        '      - run: npm ci',
        '      - run: npm run test',
        '      - run: npm rm eslint-plugin-x',
        '      - run: npx eslint src',
        '      - run: npm run lint:all',
        '      - run: npm test && npm run e2e-tests',
      ].join('\n'),
      '.github/workflows/broken.yml': '{',
    });
    const found = await detectProject(project.root);
    expect(found.checks.map(({ run }) => run)).toEqual(['npm test', 'npm run lint:all']);
    expect(found.notes).toEqual([
      '.github/workflows/ci.yml runs "npx eslint src", which is not a check here',
      '.github/workflows/ci.yml runs "npm test && npm run e2e-tests", which is not a check here',
      'no command found for: typecheck, build; add one under checks if the project has it',
    ]);
  });

  it('uses a Makefile for what nothing else shows', async () => {
    using project = makeProject({ ...npm({}), Makefile: 'test:\n\tx\nlint:\n\ty\n' });
    expect((await detectProject(project.root)).checks.map(({ run }) => run)).toEqual(['npm test', 'make lint']);
  });

  it('reads the targets of a Makefile', async () => {
    using project = makeProject({ Makefile: 'test: build\n\tx\nbuild:\n\ty\nVAR := 1\n' });
    expect((await detectProject(project.root)).checks.map(({ run }) => run)).toEqual(['make test', 'make build']);
  });

  it('names both kinds of project in one repository, each check by a name of its own', async () => {
    using project = makeProject({ ...npm({ vue: '3' }), 'composer.json': json({ scripts: { test: 'x' } }) });
    const found = await detectProject(project.root);
    expect(found.frameworks.map(({ name }) => name)).toEqual(['PHP', 'Vue']);
    expect(found.checks.map(({ name, run }) => [name, run])).toEqual([
      ['test', 'composer test'],
      ['npm-test', 'npm test'],
    ]);
  });

  it('finds the packages of a monorepo, and leaves the commands to its top', async () => {
    using project = makeProject({
      'package.json': json({ workspaces: ['apps/*', '../outside', 'packages/$(id)'], scripts: { test: 'turbo test' } }),
      'turbo.json': '{}',
      'apps/web/package.json': json({ dependencies: { next: '15' }, scripts: { test: 'x' } }),
    });
    const found = await detectProject(project.root);
    expect(found.monorepo).toBe('Turborepo');
    expect(found.frameworks).toEqual([
      { name: 'Node.js', folder: '' },
      { name: 'Next.js', folder: 'apps/web' },
    ]);
    expect(found.checks.map(({ run }) => run)).toEqual(['npm test']);
  });

  it('looks below the top where nothing stands there, and never into a folder with a strange name', async () => {
    const files = { 'package.json': json({ scripts: { test: 'x' } }) };
    using project = makeProject({
      'web/package.json': files['package.json'],
      'a;touch b/package.json': files['package.json'],
    });
    const found = await detectProject(project.root);
    expect(found.checks).toEqual([{ name: 'test', run: 'cd web && npm test', isWanted: true }]);
  });

  it('reads the forge from the remote without the password in it, and the base from its default branch', async () => {
    using project = makeProject({});
    project.git('remote', 'add', 'origin', 'https://ann:hunter2@gitlab.example.org/group/sub/thing.git');
    project.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    project.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    project.git('branch', 'trunk');
    const found = await detectProject(project.root);
    expect(found.forge).toEqual({
      remote: 'origin',
      host: 'gitlab.example.org',
      provider: 'gitlab',
      repo: 'group/sub/thing',
    });
    expect(found.base).toBe('trunk');
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('tells of ignored private files that are there, and of no others', async () => {
    using project = makeProject({ '.gitignore': '.env\n.env.local\n', '.env.test': 'A=1' });
    writeFileSync(join(project.root, '.env'), 'SECRET=1');
    expect((await detectProject(project.root)).privateFiles).toEqual(['.env']);
  });

  it('reads nothing through a link that leads out of the project', async () => {
    using outside = makeProject(npm({ next: '15' }));
    using project = makeProject({});
    symlinkSync(join(outside.root, 'package.json'), join(project.root, 'package.json'));
    const found = await detectProject(project.root);
    expect(found.frameworks).toEqual([{ name: 'Node.js', folder: '' }]);
    expect(found.notes[0]).toBe('package.json cannot be read, so nothing was read from it');
  });
});
