import { CHECK_TOOLS, looseMatcher, TOOL_FILES } from './guard-globs.ts';
import { isCompilerSettings } from './guard-tsconfig.ts';
import { isProgram, quotedTexts } from './module-imports.ts';

export const COMPILERS = ['tsc', 'vue-tsc', 'svelte-check', 'tsgo', 'ts-node', 'ts-jest', 'tspc', 'tsd', 'tsup'];
const PYTHON_TOOLS = ['pytest', 'py.test', 'unittest', 'mypy', 'ruff', 'flake8', 'pylint', 'tox', 'nox', 'coverage'];
/** Settings by which runners, linters and compilers load further modules or settings. */
const LOADING_KEYS =
  /\b(setupFiles\w*|setup|global(?:Setup|Teardown)|reporters?|runner|testRunner|testSequencer|environment|testEnvironment|transform|resolver|moduleNameMapper|alias|plugins|jsPlugins|presets?|require|import|loader|extends|snapshotSerializers|dependencyExtractor|projects|workspace|overrides|bootstrap|spec|pytest_plugins|DJANGO_SETTINGS_MODULE)["']?\s*(?:[:=]|=>)\s*(\[[^\]]*\]|\{[^}]*\}|[^,\n}]*)/g;
/** Keys of package.json that runners and linters read. */
const PACKAGE_KEYS =
  /^(jest|vitest|mocha|ava|tap|nyc|c8|xo|eslintConfig|babel|prettier|stylelint|wireit|karma|cypress|standard|tsd)$/;

/** The files of a commit that the programs of a check read by themselves, because of their names. */
export function ownSettings(words: ReadonlySet<string>, paths: ReadonlySet<string>): string[] {
  const tools = [...TOOL_FILES].flatMap(([program, globs]) => (words.has(program) ? globs : []));
  const isSettings = looseMatcher([...CHECK_TOOLS, ...tools]);
  const hasCompiler = COMPILERS.some((program) => words.has(program));
  const hasPython = PYTHON_TOOLS.some((program) => words.has(program));
  return [...paths].filter(
    (path) =>
      isSettings(path) ||
      (hasCompiler && isCompilerSettings(path)) ||
      (hasPython && /(^|\/)(pyproject\.toml|setup\.cfg)$/.test(path)),
  );
}

/** The names of modules and settings that a configuration loads, as it spells them; modules of Python as paths. */
export function loadedNames(path: string, text: string): string[] {
  const settings = /(^|\/)package\.json$/.test(path) ? packageSettings(text) : text;
  const values = [...settings.matchAll(LOADING_KEYS)].flatMap(([, , value = '']) => [
    ...quotedTexts(value),
    ...value.split(/[\s,[\]{}"']+/).filter((word) => /^\.{0,2}[\w@./-]+\.\w+$/.test(word)),
  ]);
  const plugins = [...settings.matchAll(/(?:^|[\s"'[,])-p[ =]?["',\s]*([A-Za-z_][\w.]*)/gm)].map(
    ([, name = '']) => name,
  );
  const modules = [...values, ...plugins].filter((name) => /^[A-Za-z_]\w*(\.\w+)*$/.test(name));
  return [...values, ...modules.map((name) => name.replaceAll('.', '/'))];
}

function packageSettings(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
    return JSON.stringify(Object.fromEntries(entries.filter(([key]) => PACKAGE_KEYS.test(key))), null, 1);
  } catch {
    // Not JSON: the guard holds the file itself when it changes.
    return '';
  }
}

/** What a file is that a configuration names: further configuration, or a module that it loads. */
export function roleOfNamed(file: string): 'configuration' | 'module' | undefined {
  if (/\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf)$|(^|\/)\.[\w.-]+$/i.test(file)) return 'configuration';
  return isProgram(file) || /\.(sh|bash|mk)$/.test(file) ? 'module' : undefined;
}
