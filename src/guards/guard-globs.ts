import picomatch from 'picomatch';
import { plainPath } from '../core/policy/path-glob.ts';

/** Settings of the usual runners, which they read because of their names. */
export const CHECK_TOOLS: readonly string[] = [
  // runners of JavaScript and TypeScript
  '**/{vite,vitest,jest,ava,playwright,cypress,karma,wdio,nightwatch,web-test-runner,protractor,babel,swc}{,.*}.config.*',
  '**/{vitest.workspace.*,vitest.projects.*,vitest.setup.*,jest.setup.*,jest-preset.*,setupTests.*,karma.conf.*,wdio.conf.*}',
  '**/{cypress.json,.mocharc,.mocharc.*,.babelrc,.babelrc.*,.swcrc,.nycrc,.nycrc.*,.c8rc,.c8rc.*,.taprc,.jasmine.json}',
  '**/{jasmine.json,mocha.opts,node.config.json,__mocks__/**}',
  // Python
  '**/{pytest.ini,.pytest.ini,tox.ini,tox.toml,noxfile.py,conftest.py,.coveragerc,setup.py,sitecustomize.py,usercustomize.py}',
  '**/{pytest.toml,.pytest.toml,*.pth,pip.conf,uv.toml}',
];

/** Files that decide how checks run, whichever tool the project uses; a new one counts like a changed one. */
export const CHECK_CONFIG: readonly string[] = [
  // package managers
  '**/{.npmrc,.yarnrc,.yarnrc.*,.pnpmfile.*,pnpmfile.*,pnpm-workspace.yaml,bunfig.toml,.yarn/**,patches/**/*.patch}',
  '**/{lerna.json,nx.json,project.json,turbo.json,turbo.jsonc,rush.json,.moon/**,wireit.json}',
  '**/{deno.json,deno.jsonc,import_map.json,mise.toml,.mise.toml,mise.*.toml,.tool-versions,.envrc,.env,.env.ci,.env.local,.env.*test*}',
  ...CHECK_TOOLS,
  // PHP, Ruby, Rust, Go, JVM, .NET, C
  '**/{phpunit.xml,phpunit.xml.*,phpunit.*.xml,.phpunit.xml,pest.php,Pest.php,behat.yml,codeception.yml}',
  '**/{.rspec,.rspec-local,Rakefile,rakefile,*.rake,spec_helper.rb,rails_helper.rb,test_helper.rb,.bundle/**}',
  '**/{build.rs,.cargo/**,rust-toolchain,rust-toolchain.toml,nextest.toml,.config/nextest.toml,go.work}',
  '**/{build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradle.properties,gradle/wrapper/**,gradlew,mvnw}',
  '**/{pom.xml,.mvn/**,testng.xml,junit-platform.properties,*.runsettings,Directory.Build.*,nuget.config}',
  '**/{CTestTestfile.cmake,CTestCustom.cmake,testthat.R}',
  // what other systems run because the repository says so
  '.github/{workflows,actions}/**',
  '{.gitlab-ci.yml,.gitlab-ci.*.yml,.gitlab/ci/**,.circleci/**,Jenkinsfile,Jenkinsfile.*,azure-pipelines*,.azure-pipelines/**}',
  '{.travis.yml,appveyor.yml,.appveyor.yml,bitbucket-pipelines.yml,.buildkite/**,.drone.yml,.woodpecker/**,.ci/**,cloudbuild.yaml}',
  '{.husky/**,.githooks/**,.pre-commit-config.yaml,lefthook.yml,lefthook.yaml,.lefthook/**,.lintstagedrc*}',
  // our own settings, agents' settings, git's settings
  '{.manyhands,.manyhands/**,.worktreeinclude}',
  '**/{CLAUDE.md,CLAUDE.local.md,AGENTS.md,AGENTS.override.md,GEMINI.md,.mcp.json,.cursorrules,.windsurfrules,.aider.conf.yml}',
  '**/{.claude,.codex,.gemini,.cursor,.opencode}/**',
  '.github/copilot-instructions.md',
  '**/{.gitattributes,.gitmodules}',
];

/** Dependencies as installed: the checks bring their own, so a committed one can only replace what they run. */
export const INSTALLED: readonly string[] = ['**/node_modules', '**/node_modules/**', '**/{.venv,venv}/**', '.pnp.*'];

/** Files of these names matter only where a check calls the program that reads them. */
export const TOOL_FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ['just', ['**/{justfile,.justfile,*.just}']],
  ['task', ['**/Taskfile*.{yml,yaml}', '**/Taskfile.dist.*']],
  ['cmake', ['**/{CMakeLists.txt,*.cmake,CMakePresets.json}']],
  ['ctest', ['**/{CMakeLists.txt,*.cmake,CMakePresets.json}']],
  ['bazel', ['**/{BUILD,BUILD.bazel,WORKSPACE,MODULE.bazel,.bazelrc}']],
  ['eslint', ['**/{eslint.config.*,.eslintrc,.eslintrc.*,.eslintignore}']],
  ['biome', ['**/{biome.json,biome.jsonc,.biome.json}']],
  ['prettier', ['**/{.prettierrc,.prettierrc.*,prettier.config.*,.prettierignore}']],
  ['ruff', ['**/{ruff.toml,.ruff.toml}']],
  ['mypy', ['**/{mypy.ini,.mypy.ini}']],
  ['flake8', ['**/.flake8']],
  ['pylint', ['**/{.pylintrc,pylintrc}']],
  ['pyright', ['**/pyrightconfig.json']],
  ['oxlint', ['**/{.oxlintrc.json,oxlint.config.*}']],
  ['stylelint', ['**/{.stylelintrc,.stylelintrc.*,stylelint.config.*,.stylelintignore}']],
  ['markdownlint', ['**/{.markdownlint.*,.markdownlintignore,.markdownlint-cli2.*}']],
  ['shellcheck', ['**/.shellcheckrc']],
  ['rubocop', ['**/.rubocop*.yml']],
  ['phpstan', ['**/phpstan*.{neon,neon.dist}']],
  ['psalm', ['**/psalm*.xml']],
  ['golangci-lint', ['**/.golangci.*']],
  ['clippy', ['**/{clippy.toml,.clippy.toml}']],
  ['fmt', ['**/{rustfmt.toml,.rustfmt.toml}']],
  ['swiftlint', ['**/.swiftlint.yml']],
  ['dart', ['**/analysis_options.yaml']],
  ['docker', ['**/{Dockerfile,Dockerfile.*,docker-compose*.yml,docker-compose*.yaml,compose*.yml,compose*.yaml}']],
]);

/** Whether a path is one of these, in exactly this spelling. */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const pattern = onePattern(globs, '');
  return (path) => pattern.test(path);
}

/** Whether a path is one of these on any file system: letter case and invisible characters do not hide a file. */
export function looseMatcher(globs: readonly string[]): (path: string) => boolean {
  const pattern = onePattern(globs, 'i');
  return (path) => pattern.test(plainPath(path));
}

function onePattern(globs: readonly string[], flags: '' | 'i'): RegExp {
  if (globs.length === 0) return /(?!)/;
  return new RegExp(globs.map((glob) => picomatch.makeRe(glob, { dot: true }).source).join('|'), flags);
}
