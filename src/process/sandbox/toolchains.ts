import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** Folders below the home folder in which version managers and languages keep programs; none of them holds a login. */
const TOOLCHAINS = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.ghcup',
  '.goenv',
  '.local/bin',
  '.local/pipx',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.local/share/uv/python',
  '.local/share/uv/tools',
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
const PROGRAM_FOLDERS = ['bin', 'sbin'];
/** What is shown beside a folder of programs. Anything else there can be a login (`~/.docker`, `~/.fly`) or another project. */
const BESIDE_PROGRAMS = new Set([
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'share', 'include', 'conf', 'runtime', 'versions'],
  ...['boot', 'jmods', 'jre', 'legal', 'releases', 'platform', 'pyvenv.cfg', 'release', 'version', 'VERSION'],
]);
/** The root of an installation of Go, and what it has besides. */
const GO_MARK = 'pkg/tool';
const OF_GO = ['api', 'go.env', 'misc', 'pkg', 'src', 'test'];
/** The mark of Homebrew, whose programs are links to there, and what they need besides: data and settings of services are in other folders. */
const HOMEBREW_MARK = 'Cellar';
const OF_HOMEBREW = ['Cellar', 'opt', 'Frameworks'];
const CERTIFICATES = /^(ca-certificates|cert\.pem|certs|openssl\.cnf)$/;
/** Where .NET is on PATH itself; the keys of the person are beside it. */
const OF_DOTNET = /^(dotnet|host|library-packs|metadata|packs|sdk|sdk-manifests|shared|store|templates|tools)$/;
/** Folders that hold logins beside programs, and data of all kinds in folders with those names. */
const MIXED = ['.cargo', '.local', '.config', '.bun', '.deno'];
/** What the system's own folders contain is shown anyway. */
const OF_SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|etc|opt|nix|gnu|snap)(\/|$)/;

/** The folders of the toolchains that a program finds by PATH and by its variables. */
export function toolchainFolders(env: Record<string, string>, hidden: readonly string[]): string[] {
  const onPath = (env.PATH ?? '').split(':').filter(isAbsolute);
  const homes = hidden.flatMap((home) => TOOLCHAINS.map((name) => join(home, name)));
  const roots = ROOT_VARIABLES.flatMap((name) => env[name] ?? []).filter(isAbsolute);
  const folders = [
    ...onPath.flatMap((folder) => partsOf(folder, hidden)),
    ...homes,
    ...roots,
    ...partsOf(dirname(process.execPath), hidden),
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
  const found = files.flatMap((file) => [...packageOf(file, hidden), ...packageOf(realpathSync(file), hidden)]);
  return [...new Set(found)].filter((path) => !OF_SYSTEM.test(path));
}

/** A package with its dependencies, else the folder of the file; only the file where that folder holds more than the program. */
function packageOf(file: string, hidden: readonly string[]): string[] {
  const modules = file.indexOf('/node_modules/');
  if (modules > 0) return [file.slice(0, modules + '/node_modules'.length)];
  const folder = dirname(file);
  return isShown(folder, hidden) && !existsSync(join(folder, '.git')) ? partsOf(folder, hidden) : [file];
}

/** A folder of programs with what they need beside it; a version manager, and packages with their dependencies, as a whole. */
function partsOf(folder: string, hidden: readonly string[]): string[] {
  const [name, parent] = [basename(folder), dirname(folder)];
  if (name === '.dotnet') return entriesOf(folder, (each) => OF_DOTNET.test(each));
  if (name === '.bin' && basename(parent) === 'node_modules') return [parent];
  if (VERSION_MANAGERS.includes(basename(parent)) && isShown(parent, hidden)) return [parent];
  if (!PROGRAM_FOLDERS.includes(name) || MIXED.includes(basename(parent)) || !isShown(parent, hidden)) return [folder];
  const isHomebrew = existsSync(join(parent, HOMEBREW_MARK));
  if (existsSync(join(parent, '.git')) && !isHomebrew) return [folder];
  const ofGo = existsSync(join(parent, GO_MARK)) ? OF_GO : [];
  const more = isHomebrew ? OF_HOMEBREW : ofGo;
  return [
    folder,
    ...entriesOf(parent, (each) => BESIDE_PROGRAMS.has(each) || /^erts-/.test(each) || more.includes(each)),
    ...(isHomebrew ? homebrewCertificates(join(parent, 'etc')) : []),
  ];
}

/** Of the settings of packages only the certificates: others belong to services. */
function homebrewCertificates(settings: string): string[] {
  const folders = [settings, ...entriesOf(settings, (each) => each.startsWith('openssl'))];
  return folders.flatMap((folder) => entriesOf(folder, (each) => CERTIFICATES.test(each)));
}

function entriesOf(folder: string, isSelected: (name: string) => boolean): string[] {
  try {
    return readdirSync(folder)
      .filter(isSelected)
      .map((name) => join(folder, name));
  } catch {
    // There is no such folder, or this user may not list it.
    return [];
  }
}

/** Never a folder that contains a hidden one. */
function isShown(folder: string, hidden: readonly string[]): boolean {
  if (OF_SYSTEM.test(folder) || !existsSync(folder)) return false;
  return hidden.every((each) => relative(folder, each).startsWith('..'));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // There is none, or it is in a folder that this user may not enter.
    return false;
  }
}
