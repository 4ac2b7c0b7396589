import { parse as parseToml } from 'smol-toml';
import { type CheckName, type Ecosystem, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

/** `program` runs an installed tool, `script` a Python file, both with what was set up. */
type Manager = { name: string; setup: string[]; program(command: string): string; script(command: string): string };

const MANIFESTS = ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'manage.py'];
const REQUIREMENTS = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'requirements-test.txt'];
/** Lists that name what only the tests need, next to the project itself. */
const TEST_REQUIREMENTS = [
  'tests/requirements.txt',
  'tests/requirements/py3.txt',
  'requirements/dev.txt',
  'requirements/tests.txt',
  'requirements/test.txt',
];
/** Scripts that start a project's own test runner. */
const RUNNERS = ['runtests.py', 'tests/runtests.py', 'run_tests.py'];
const CONFIGS = ['tox.ini', 'tox.toml', 'mypy.ini', '.mypy.ini', 'noxfile.py'];
const FRAMEWORKS = [
  ['Django', 'django'],
  ['FastAPI', 'fastapi'],
  ['Flask', 'flask'],
  ['Starlette', 'starlette'],
] as const;
const PIP_INSTALL = '.venv/bin/python -m pip install ';
const KEY_FILES = ['pyproject.toml', 'manage.py', 'app', 'src', 'tests'];

/** Whatever has a manifest of Python. */
export const python: Ecosystem = {
  name: 'Python',
  async detect(files) {
    if (present(files, MANIFESTS).length === 0) return undefined;
    const texts = await Promise.all([...MANIFESTS, ...REQUIREMENTS].map((name) => files.read(name)));
    const text = texts.join('\n');
    const uses = (name: string) => new RegExp(`(^|[\\s"'\\[,])${name}(?![\\w-])`, 'im').test(text);
    const nested = await readable(files, TEST_REQUIREMENTS);
    const manager = managerOf(files, { text, nested });
    const configs = (await Promise.all(CONFIGS.map((name) => files.read(name)))).join('\n');
    const seen = { text: `${text}\n${configs}`, runner: (await readable(files, RUNNERS))[0], uses, manager };
    const checks = checksOf(files, seen);
    const lists = await Promise.all([...REQUIREMENTS, ...nested].map((name) => files.read(name)));
    return {
      framework: frameworkOf(FRAMEWORKS, uses) ?? 'Python',
      packageManager: manager.name,
      checks,
      setup: withTools(manager.setup, checks, lists.join('\n')),
      dependencyDirs: ['.venv'],
      keyFiles: present(files, KEY_FILES),
      notes: [],
    };
  },
};

async function readable(files: ProjectFiles, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (path) => ((await files.read(path)) === undefined ? [] : [path])));
  return found.flat();
}

function managerOf(files: ProjectFiles, { text, nested }: { text: string; nested: readonly string[] }): Manager {
  const isUsed = (lock: string, section: RegExp) => files.has(lock) || section.test(text);
  if (isUsed('uv.lock', /^\[tool\.uv\b/m))
    return uv(text, files.hasLockfile('uv.lock') ? 'uv sync --frozen' : 'uv sync');
  if (isUsed('poetry.lock', /^\[tool\.poetry\b/m)) return runner('poetry', 'poetry install --no-interaction');
  if (isUsed('pdm.lock', /^\[tool\.pdm\b/m))
    return runner('pdm', files.hasLockfile('pdm.lock') ? 'pdm sync' : 'pdm install');
  if (files.has('Pipfile'))
    return runner('pipenv', files.hasLockfile('Pipfile.lock') ? 'pipenv sync --dev' : 'pipenv install --dev');
  return plainPip(files, nested);
}

function runner(name: string, setup: string): Manager {
  return {
    name,
    setup: [setup],
    program: (command) => `${name} run ${command}`,
    script: (command) => `${name} run python ${command}`,
  };
}

/** uv installs only the group `dev` by default: a tool of another group is run with that group. */
function uv(text: string, setup: string): Manager {
  const groups = dependencyGroups(text);
  const groupOf = (tool: string) => {
    const names = [...groups].filter(([, tools]) => tools.includes(tool)).map(([name]) => name);
    return names.includes('dev') ? undefined : names[0];
  };
  const program = (command: string) => {
    const group = groupOf(command.split(' ', 1)[0] ?? '');
    return group === undefined ? `uv run ${command}` : `uv run --group ${group} ${command}`;
  };
  return { ...runner('uv', setup), program };
}

/** The groups of `[dependency-groups]` whose names need no quoting, and the packages that each lists itself. */
function dependencyGroups(text: string): Map<string, string[]> {
  const section = /^\[dependency-groups\]\s*$[\s\S]*?(?=^\[|(?![\s\S]))/m.exec(text)?.[0];
  try {
    const { 'dependency-groups': groups } = parseToml(section ?? '');
    if (typeof groups !== 'object' || groups === null) return new Map();
    const named = Object.entries(groups).filter(([name]) => /^[A-Za-z0-9][\w.-]*$/.test(name));
    return new Map(named.map(([name, list]) => [name, packageNames(list)]));
  } catch {
    // What is no TOML has no groups.
    return new Map();
  }
}

function packageNames(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each) => (typeof each === 'string' ? (/^[\w.-]+/.exec(each) ?? []) : []));
}

function plainPip(files: ProjectFiles, nested: readonly string[]): Manager {
  const lists = present(files, REQUIREMENTS).map((name) => `-r ${name}`);
  const tests = nested.map((name) => `-r ${name}`);
  const itself = present(files, ['pyproject.toml', 'setup.py']).length > 0 ? ['-e .'] : [];
  const requirements = [...(lists.length > 0 ? lists : itself), ...tests];
  const program = requirements.length === 0 ? 'python3' : '.venv/bin/python';
  const install = `${PIP_INSTALL}${requirements.join(' ')}`;
  return {
    name: 'pip',
    setup: requirements.length === 0 ? [] : ['python3 -m venv .venv', install],
    program: (command) => `${program} -m ${command}`,
    script: (command) => `${program} ${command}`,
  };
}

/** pip installs neither the extras of a project nor what only tox lists: tools of the checks that no installed list has are named. */
function withTools(setup: readonly string[], checks: readonly FoundCheck[], installed: string): string[] {
  const tools = checks.flatMap(({ run }) => /^\.venv\/bin\/python -m ([\w-]+)/.exec(run)?.[1] ?? []);
  const missing = tools.filter((tool) => !new RegExp(`^${tool}(?![\\w-])`, 'im').test(installed));
  const more = missing.length === 0 ? '' : ` ${[...new Set(missing)].join(' ')}`;
  return setup.map((command) => (command.startsWith(PIP_INSTALL) ? `${command}${more}` : command));
}

/** What the checks of a Python project are derived from. */
type PythonFacts = { text: string; runner: string | undefined; uses(name: string): boolean; manager: Manager };

function checksOf(files: ProjectFiles, { text, runner: script, uses, manager }: PythonFacts): FoundCheck[] {
  const checks: FoundCheck[] = [];
  const add = (name: CheckName, run: string) => checks.push({ name, run });
  const hasPytest = uses('pytest') || present(files, ['pytest.ini', 'conftest.py']).length > 0;
  // A tool that no manifest lists is expected on the PATH.
  const listed = (tool: string) => (uses(tool) ? manager.program(tool) : tool);
  if (script !== undefined) add('test', manager.script(script));
  else if (hasPytest || /^\[tool\.pytest/m.test(text)) add('test', manager.program('pytest'));
  else if (files.has('manage.py')) add('test', manager.script('manage.py test'));
  else if (present(files, ['tox.ini', 'tox.toml']).length > 0 || /^\[(tool\.tox\b|tox:tox\])/m.test(text))
    add('test', listed('tox'));
  else if (files.has('noxfile.py')) add('test', listed('nox'));
  if (uses('ruff') || present(files, ['ruff.toml', '.ruff.toml']).length > 0 || /^\[tool\.ruff\b/m.test(text))
    add('lint', manager.program('ruff check .'));
  else if (uses('flake8')) add('lint', manager.program('flake8'));
  if (uses('mypy') || /^\[(tool\.)?mypy\]/m.test(text))
    add('typecheck', manager.program(namesMypyTargets(text) ? 'mypy' : 'mypy .'));
  else if (uses('pyright')) add('typecheck', manager.program('pyright'));
  return checks;
}

/** Whether the configuration of mypy says what is checked, so that a path on the command line would override it. */
function namesMypyTargets(text: string): boolean {
  const section = /^\[(?:tool\.)?mypy\][^\n]*\n((?:(?!\[)[^\n]*(?:\n|$))*)/m.exec(text)?.[1] ?? '';
  return /^\s*(files|packages|modules)\s*=/m.test(section);
}
