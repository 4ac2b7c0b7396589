import { createHash } from 'node:crypto';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import type { Config } from '../schema/config.ts';

/** Files that determine what a set-up installs. */
const INSTALLER_FILES: readonly RegExp[] = [
  /^(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-(lock|workspace)\.yaml|bun\.lockb?|bunfig\.toml)$/i,
  /^(\.npmrc|\.yarnrc.*|\.pnpmfile\.\w+|deno\.(jsonc?|lock)|\.node-version|\.nvmrc|\.tool-versions|mise\.toml)$/i,
  /^([\w.-]*requirements[\w.-]*\.(txt|in)|pyproject\.toml|setup\.(py|cfg)|(poetry|uv|pdm)\.lock|Pipfile(\.lock)?|\.python-version)$/i,
  /^(Cargo\.(toml|lock)|rust-toolchain(\.toml)?|go\.(mod|sum|work)|Gemfile(\.lock)?|gems\.(rb|locked)|\.ruby-version)$/i,
  /^(composer\.(json|lock)|mix\.(exs|lock)|pubspec\.(yaml|lock)|pom\.xml|.*\.gradle(\.kts)?|gradle\.lockfile|flake\.(nix|lock))$/i,
];

type Entry = { oid: string; path: string };

/** A hash of everything in a commit that a set-up installs from: lockfiles, manifests, and the scripts that it names. */
export async function lockHash(
  mirror: Pick<Mirror, 'dir'>,
  commit: string,
  setup: Config['workspace']['setup'],
): Promise<string> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], {
    gitDir: mirror.dir,
  });
  const entries = stdout.split('\0').flatMap(readEntry);
  const manifest = entries.find((entry) => entry.path === 'package.json');
  const scripts = manifest ? (await git(['cat-file', 'blob', manifest.oid], { gitDir: mirror.dir })).stdout : '';
  const named = new Set([...setup.flat(), scripts].flatMap(tokens));
  const hash = createHash('sha256');
  for (const { oid, path } of entries) {
    if (isInstallerFile(path) || named.has(path)) hash.update(`${oid} ${path}\0`);
  }
  return hash.digest('hex');
}

function isInstallerFile(path: string): boolean {
  const name = path.split('/').at(-1) ?? '';
  return /(^|\/)patches\//.test(path) || INSTALLER_FILES.some((pattern) => pattern.test(name));
}

function readEntry(line: string): Entry[] {
  const tab = line.indexOf('\t');
  const oid = line.slice(0, tab).split(' ')[2];
  return tab < 0 || oid === undefined ? [] : [{ oid, path: line.slice(tab + 1) }];
}

function tokens(text: string): string[] {
  return text.split(/[\s;&|()<>"'`=,]+/).map((token) => token.replace(/^\.\//, ''));
}
