import picomatch from 'picomatch';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';

/** The files of one commit, as far as a workspace is read from them. */
export interface WorkspaceFiles {
  paths: ReadonlySet<string>;
  readAll(paths: readonly string[]): Promise<Map<string, string>>;
  /** The lines that an extended regular expression matches, in files that a pathspec selects. */
  lines(pattern: string, pathspec: string): Promise<{ path: string; line: string }[]>;
}

/** A package of a workspace: the name that its package manager selects it by, and the packages that it needs. */
export interface WorkspacePackage {
  name: string;
  folder: string;
  /** The file that makes its folder a package; null where any source file does. */
  manifest: string | null;
  needs: readonly string[];
}

export type WorkspaceKind = 'node' | 'cargo' | 'go';

const TOOLS: readonly (readonly [WorkspaceKind, RegExp])[] = [
  ['cargo', /(?:^|[\s;&|(/])cargo(?=\s|$)/],
  ['go', /(?:^|[\s;&|(/])(?:go|gotestsum|golangci-lint|staticcheck)(?=\s|$)/],
  ['node', /(?:^|[\s;&|(/])(?:pnpm|npm|npx|yarn|bun|turbo|nx|lerna)(?=\s|$)/],
];
const MANIFESTS: Readonly<Record<WorkspaceKind, string>> = { cargo: 'Cargo.toml', go: 'go.mod', node: 'package.json' };
const NODE_DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const CARGO_DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'];

/** The kind of workspace that a command works on: by the program that it calls, else by the manifests of the repository. */
export function workspaceKind(command: string, paths: ReadonlySet<string>): WorkspaceKind | undefined {
  const called = TOOLS.find(([, program]) => program.test(command))?.[0];
  if (called !== undefined) return called;
  if (paths.has('pnpm-workspace.yaml') || paths.has('package.json')) return 'node';
  if (paths.has('Cargo.toml')) return 'cargo';
  return [...paths].some((path) => /(^|\/)go\.(mod|work)$/.test(path)) ? 'go' : undefined;
}

/** The packages of a commit with the dependencies between them; none where the repository has no such workspace. */
export function readWorkspace(kind: WorkspaceKind, files: WorkspaceFiles): Promise<WorkspacePackage[]> {
  switch (kind) {
    case 'node':
      return nodePackages(files);
    case 'cargo':
      return cargoPackages(files);
    case 'go':
      return goPackages(files);
  }
}

/** The package of a file: the one in the deepest folder that contains it. */
export function packageOf(path: string, packages: readonly WorkspacePackage[]): WorkspacePackage | undefined {
  const containing = packages.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  return containing.sort((a, b) => b.folder.length - a.folder.length)[0];
}

async function nodePackages(files: WorkspaceFiles): Promise<WorkspacePackage[]> {
  const roots = await files.readAll(['package.json', 'pnpm-workspace.yaml']);
  const root = jsonObject(roots.get('package.json'));
  const pnpm = textObject(() => parseYaml(roots.get('pnpm-workspace.yaml') ?? ''));
  const declared = stringsOf(pnpm.packages ?? objectOf(root.workspaces).packages ?? root.workspaces);
  const manifests = manifestsIn(declared, 'node', files).filter((path) => !path.includes('node_modules/'));
  const texts = await files.readAll(manifests);
  return manifests.map((manifest) => {
    const parsed = jsonObject(texts.get(manifest));
    const folder = folderOf(manifest);
    const name = typeof parsed.name === 'string' ? parsed.name : `./${folder}`;
    const needs = NODE_DEPENDENCIES.flatMap((key) => Object.keys(objectOf(parsed[key])));
    return { name, folder, manifest, needs };
  });
}

async function cargoPackages(files: WorkspaceFiles): Promise<WorkspacePackage[]> {
  const root = tomlObject((await files.readAll(['Cargo.toml'])).get('Cargo.toml'));
  const workspace = objectOf(root.workspace);
  const excluded = stringsOf(workspace.exclude).map((glob) => `!${glob}`);
  const members = manifestsIn([...stringsOf(workspace.members), ...excluded], 'cargo', files);
  const paths = pathDependencies(root).map((path) => `${path.replace(/^\.\/|\/$/g, '')}/Cargo.toml`);
  const own = objectOf(root.package).name === undefined ? [] : ['Cargo.toml'];
  const manifests = [...new Set([...own, ...members, ...paths.filter((path) => files.paths.has(path))])];
  const texts = await files.readAll(manifests);
  return manifests.flatMap((manifest) => {
    const parsed = tomlObject(texts.get(manifest));
    const { name } = objectOf(parsed.package);
    if (typeof name !== 'string') return [];
    const needs = cargoTables(parsed).flatMap((table) =>
      Object.entries(table).map(([key, value]) => {
        const { package: renamed } = objectOf(value);
        return typeof renamed === 'string' ? renamed : key;
      }),
    );
    return [{ name, folder: folderOf(manifest), manifest, needs }];
  });
}

/** The tables of dependencies of a manifest, those of single targets too. */
function cargoTables(manifest: Record<string, unknown>): Record<string, unknown>[] {
  const targets = Object.values(objectOf(manifest.target)).map(objectOf);
  return [manifest, ...targets, objectOf(manifest.workspace)].flatMap((from) =>
    CARGO_DEPENDENCIES.map((key) => objectOf(from[key])),
  );
}

function pathDependencies(manifest: Record<string, unknown>): string[] {
  return cargoTables(manifest).flatMap((table) =>
    Object.values(table).flatMap((value) => {
      const { path } = objectOf(value);
      return typeof path === 'string' ? [path] : [];
    }),
  );
}

/** Each folder with Go files is a package; what one needs follows from its imports. */
async function goPackages(files: WorkspaceFiles): Promise<WorkspacePackage[]> {
  const isVendored = (path: string) => /(^|\/)(vendor|testdata)\//.test(path);
  const manifests = [...files.paths].filter((path) => /(^|\/)go\.mod$/.test(path) && !isVendored(path));
  const texts = await files.readAll(manifests);
  const modules = manifests.flatMap((manifest) => {
    const name = /^\s*module\s+"?([^\s"]+)/m.exec(texts.get(manifest) ?? '')?.[1];
    return name === undefined ? [] : [{ name, folder: folderOf(manifest), manifest, needs: [] }];
  });
  const sources = [...files.paths].filter((path) => path.endsWith('.go') && !isVendored(path));
  const folders = new Set(sources.map(folderOf));
  const imports = new Map<string, string[]>();
  for (const module of modules) {
    const pattern = `"${module.name.replace(/[.+*?^$()[\]{}|\\]/g, '\\$&')}(/[^"]*)?"`;
    for (const { path, line } of await files.lines(pattern, '*.go')) {
      const found = [...line.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) => goFolder(name, module) ?? []);
      imports.set(folderOf(path), [...(imports.get(folderOf(path)) ?? []), ...found]);
    }
  }
  return [...folders]
    .filter((folder) => packageOf(`${folder}/x`, modules) !== undefined || modules.some((each) => each.folder === ''))
    .map((folder) => ({
      name: goName(folder),
      folder,
      manifest: null,
      needs: (imports.get(folder) ?? []).map(goName),
    }));
}

function goFolder(name: string, module: { name: string; folder: string }): string | undefined {
  if (name !== module.name && !name.startsWith(`${module.name}/`)) return undefined;
  return [module.folder, name.slice(module.name.length + 1)].filter((part) => part !== '').join('/');
}

function goName(folder: string): string {
  return folder === '' ? '.' : `./${folder}`;
}

/** The manifests in the folders that a list of globs declares; one that begins with `!` excludes. */
function manifestsIn(globs: readonly string[], kind: WorkspaceKind, files: WorkspaceFiles): string[] {
  const plain = (glob: string) => glob.replace(/^!/, '').replace(/^\.\/|\/$/g, '');
  const isIncluded = picomatch(globs.filter((glob) => !glob.startsWith('!')).map(plain));
  const isExcluded = picomatch(globs.filter((glob) => glob.startsWith('!')).map(plain));
  return [...files.paths].filter((path) => {
    const folder = folderOf(path);
    return folder !== '' && path.endsWith(`/${MANIFESTS[kind]}`) && isIncluded(folder) && !isExcluded(folder);
  });
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

const Strings = z.array(z.string());

function stringsOf(value: unknown): string[] {
  return Strings.safeParse(value).data ?? [];
}

function objectOf(value: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
}

function jsonObject(text: string | undefined): Record<string, unknown> {
  return textObject(() => JSON.parse(text ?? '{}'));
}

function tomlObject(text: string | undefined): Record<string, unknown> {
  return textObject(() => parseToml(text ?? ''));
}

/** A manifest that cannot be parsed declares nothing: the package manager itself reports it when the check runs. */
function textObject(parse: () => unknown): Record<string, unknown> {
  try {
    return objectOf(parse());
  } catch {
    return {};
  }
}
