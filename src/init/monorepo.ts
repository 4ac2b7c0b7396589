import { parseDocument } from 'yaml';
import { readNodeManifest } from './ecosystems/node-manifest.ts';
import type { ProjectFiles } from './project-files.ts';

/** What holds several packages together, and the folders of those packages. */
export type Monorepo = { by: string; folders: string[] };

const MAX_PACKAGES = 50;
const MAX_PATTERNS = 50;
const RUNNERS = [
  ['Nx', 'nx.json'],
  ['Turborepo', 'turbo.json'],
  ['Lerna', 'lerna.json'],
  ['Rush', 'rush.json'],
] as const;
/** A folder whose name needs no quoting anywhere. */
export const PLAIN_FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The packages of a repository that holds several, as its workspace settings name them; undefined if it is not one. */
export async function findMonorepo(files: ProjectFiles): Promise<Monorepo | undefined> {
  const patterns = await workspacePatterns(files);
  const runner = RUNNERS.find(([, file]) => files.has(file))?.[0];
  if (patterns === undefined) return runner === undefined ? undefined : { by: runner, folders: [] };
  const folders: string[] = [];
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) folders.push(...(await expand(files, pattern)));
  return { by: runner ?? 'workspaces', folders: [...new Set(folders)].sort().slice(0, MAX_PACKAGES) };
}

async function workspacePatterns(files: ProjectFiles): Promise<string[] | undefined> {
  const manifest = await readNodeManifest(files);
  if (manifest !== undefined && 'workspaces' in manifest && manifest.workspaces !== undefined)
    return manifest.workspaces;
  const text = await files.read('pnpm-workspace.yaml');
  if (text === undefined) return undefined;
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return [];
  const value: unknown = document.toJS({ maxAliasCount: 10 });
  const packages = typeof value === 'object' && value !== null && 'packages' in value ? value.packages : [];
  return Array.isArray(packages) ? packages.filter((each) => typeof each === 'string') : [];
}

/** Patterns as they are written in practice: a folder, or all folders of a folder. */
async function expand(files: ProjectFiles, pattern: string): Promise<string[]> {
  const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/');
  const last = parts.at(-1) ?? '';
  const above = parts.slice(0, -1);
  if (!above.every((part) => PLAIN_FOLDER.test(part))) return [];
  if (last !== '*' && last !== '**') return PLAIN_FOLDER.test(last) ? [parts.join('/')] : [];
  const folder = above.length === 0 ? files : await files.enter(above.join('/'));
  const names = folder?.names.filter((name) => PLAIN_FOLDER.test(name)) ?? [];
  return names.slice(0, MAX_PACKAGES).map((name) => [...above, name].join('/'));
}
