import { type CheckName, type Ecosystem, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

/** `program` runs an installed tool, `script` a Python file, both with what was set up. */
type Manager = { name: string; setup: string[]; program(command: string): string; script(command: string): string };

const MANIFESTS = ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'manage.py'];
const REQUIREMENTS = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'requirements-test.txt'];
const FRAMEWORKS = [
  ['Django', 'django'],
  ['FastAPI', 'fastapi'],
  ['Flask', 'flask'],
  ['Starlette', 'starlette'],
] as const;
const KEY_FILES = ['pyproject.toml', 'manage.py', 'app', 'src', 'tests'];

/** Whatever has a manifest of Python. */
export const python: Ecosystem = {
  name: 'Python',
  async detect(files) {
    if (present(files, MANIFESTS).length === 0) return undefined;
    const texts = await Promise.all([...MANIFESTS, ...REQUIREMENTS].map((name) => files.read(name)));
    const text = texts.join('\n');
    const uses = (name: string) => new RegExp(`(^|[\\s"'\\[,])${name}(?![\\w-])`, 'im').test(text);
    const manager = managerOf(files, text);
    return {
      framework: frameworkOf(FRAMEWORKS, uses) ?? 'Python',
      packageManager: manager.name,
      checks: checksOf(files, { text, uses, manager }),
      setup: manager.setup,
      dependencyDirs: ['.venv'],
      keyFiles: present(files, KEY_FILES),
      notes: [],
    };
  },
};

function managerOf(files: ProjectFiles, text: string): Manager {
  const isUsed = (lock: string, section: RegExp) => files.has(lock) || section.test(text);
  if (isUsed('uv.lock', /^\[tool\.uv\b/m)) return runner('uv', files.has('uv.lock') ? 'uv sync --frozen' : 'uv sync');
  if (isUsed('poetry.lock', /^\[tool\.poetry\b/m)) return runner('poetry', 'poetry install --no-interaction');
  if (isUsed('pdm.lock', /^\[tool\.pdm\b/m)) return runner('pdm', files.has('pdm.lock') ? 'pdm sync' : 'pdm install');
  if (files.has('Pipfile'))
    return runner('pipenv', files.has('Pipfile.lock') ? 'pipenv sync --dev' : 'pipenv install --dev');
  return plainPip(files);
}

function runner(name: string, setup: string): Manager {
  return {
    name,
    setup: [setup],
    program: (command) => `${name} run ${command}`,
    script: (command) => `${name} run python ${command}`,
  };
}

function plainPip(files: ProjectFiles): Manager {
  const lists = present(files, REQUIREMENTS).map((name) => `-r ${name}`);
  const itself = present(files, ['pyproject.toml', 'setup.py']).length > 0 ? ['-e .'] : [];
  const requirements = lists.length > 0 ? lists : itself;
  const program = requirements.length === 0 ? 'python3' : '.venv/bin/python';
  const install = `${program} -m pip install ${requirements.join(' ')}`;
  return {
    name: 'pip',
    setup: requirements.length === 0 ? [] : ['python3 -m venv .venv', install],
    program: (command) => `${program} -m ${command}`,
    script: (command) => `${program} ${command}`,
  };
}

type Seen = { text: string; uses(name: string): boolean; manager: Manager };

function checksOf(files: ProjectFiles, { text, uses, manager }: Seen): FoundCheck[] {
  const checks: FoundCheck[] = [];
  const add = (name: CheckName, run: string) => checks.push({ name, run });
  const hasPytest = uses('pytest') || present(files, ['pytest.ini', 'conftest.py']).length > 0;
  if (hasPytest || /^\[tool\.pytest/m.test(text)) add('test', manager.program('pytest'));
  else if (files.has('manage.py')) add('test', manager.script('manage.py test'));
  if (uses('ruff') || files.has('ruff.toml') || /^\[tool\.ruff\b/m.test(text))
    add('lint', manager.program('ruff check .'));
  else if (uses('flake8')) add('lint', manager.program('flake8'));
  if (uses('mypy')) add('typecheck', manager.program('mypy .'));
  else if (uses('pyright')) add('typecheck', manager.program('pyright'));
  return checks;
}
