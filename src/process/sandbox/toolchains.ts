import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** Folders below the home folder in which version managers and languages keep programs; none of them holds a login. */
const TOOLCHAINS = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.dotnet',
  '.ghcup',
  '.goenv',
  '.local/bin',
  '.local/pipx',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.local/share/uv',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman',
  '.volta',
  'go/bin',
];
const VERSION_MANAGERS = ['.asdf', '.goenv', '.nvm', '.pyenv', '.rbenv', '.sdkman', '.volta'];
/** Below the home folder: what package managers have downloaded; a variable can name another folder. */
const PACKAGE_CACHES: readonly { path: string; variable?: string; inside?: string }[] = [
  { path: '.npm/_cacache', variable: 'npm_config_cache', inside: '_cacache' },
  { path: '.cache/yarn', variable: 'YARN_CACHE_FOLDER' },
  { path: '.yarn/berry', variable: 'YARN_GLOBAL_FOLDER' },
  { path: '.local/share/pnpm/store', variable: 'npm_config_store_dir' },
  { path: '.cache/pnpm', variable: 'npm_config_cache_dir' },
  { path: '.bun/install/cache', variable: 'BUN_INSTALL_CACHE_DIR' },
  { path: '.cache/pip', variable: 'PIP_CACHE_DIR' },
  { path: '.cache/uv', variable: 'UV_CACHE_DIR' },
  { path: '.cargo/registry', variable: 'CARGO_HOME', inside: 'registry' },
  { path: '.cargo/git', variable: 'CARGO_HOME', inside: 'git' },
  { path: 'go/pkg/mod', variable: 'GOMODCACHE' },
  { path: '.gradle/caches', variable: 'GRADLE_USER_HOME', inside: 'caches' },
  { path: '.m2/repository' },
];
/** Variables that name the root of a toolchain. */
const ROOT_VARIABLES = ['NVM_DIR', 'PYENV_ROOT', 'RUSTUP_HOME', 'GOROOT', 'VOLTA_HOME', 'JAVA_HOME'];
/** Names of folders with programs; the files that those need are beside such a folder. */
const PROGRAM_FOLDERS = ['bin', '.bin', 'sbin', 'shims'];
/** Folders that hold logins beside programs. */
const MIXED = ['.cargo', '.local', '.config', '.bun', '.deno'];
/** What the system's own folders contain is shown anyway. */
const OF_SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|etc|opt|nix|gnu|snap)(\/|$)/;

/** The folders of the toolchains that a program finds by PATH and by its variables. */
export function toolchainFolders(env: Record<string, string>, hidden: readonly string[]): string[] {
  const onPath = (env.PATH ?? '').split(':').filter(isAbsolute);
  const homes = hidden.flatMap((home) => TOOLCHAINS.map((name) => join(home, name)));
  const roots = ROOT_VARIABLES.flatMap((name) => env[name] ?? []).filter(isAbsolute);
  const folders = [
    ...onPath.map((folder) => rootOf(folder, hidden)),
    ...homes,
    ...roots,
    rootOf(dirname(process.execPath), hidden),
  ];
  return [...new Set(folders)].filter((folder) => isShown(folder, hidden));
}

/** Where the caches of package managers are or would be; none of them holds a login. */
export function packageCaches(env: Record<string, string | undefined>, home: string): string[] {
  const found = PACKAGE_CACHES.map(({ path, variable = '', inside = '' }) => {
    const named = env[variable] ?? '';
    return isAbsolute(named) ? join(named, inside) : join(home, path);
  });
  return [...new Set(found)];
}

/** The files of these programs and scripts, with what they need beside them; other words are ignored. */
export function programFolders(words: readonly string[], hidden: readonly string[]): string[] {
  const files = words.filter((word) => isAbsolute(word) && isFile(word));
  const found = files.flatMap((file) => [packageOf(file, hidden), packageOf(realpathSync(file), hidden)]);
  return [...new Set(found)].filter((path) => !OF_SYSTEM.test(path));
}

/** A package with its dependencies, else the folder of the file; only the file where that folder holds more than the program. */
function packageOf(file: string, hidden: readonly string[]): string {
  const modules = file.indexOf('/node_modules/');
  if (modules > 0) return file.slice(0, modules + '/node_modules'.length);
  const folder = rootOf(dirname(file), hidden);
  return isShown(folder, hidden) && !existsSync(join(folder, '.git')) ? folder : file;
}

/** The folder beside which a folder of programs has their files; never a whole repository, unless it is a version manager. */
function rootOf(folder: string, hidden: readonly string[]): string {
  const parent = dirname(folder);
  if (!PROGRAM_FOLDERS.includes(basename(folder)) || MIXED.includes(basename(parent))) return folder;
  const isRepository = existsSync(join(parent, '.git')) && !VERSION_MANAGERS.includes(basename(parent));
  return isShown(parent, hidden) && !isRepository ? parent : folder;
}

/** Never a folder that contains a hidden one. */
function isShown(folder: string, hidden: readonly string[]): boolean {
  if (OF_SYSTEM.test(folder) || !existsSync(folder)) return false;
  return hidden.every((each) => relative(folder, each).startsWith('..'));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
