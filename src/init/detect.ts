import { relative } from 'node:path';
import { parseDocument } from 'yaml';
import { findOnPath } from '../agents/program.ts';
import { type WorkflowCommand, workflowChecks, workflowCommands } from './ci-workflows.ts';
import type { CheckName, Found } from './ecosystem.ts';
import { ECOSYSTEMS, FALLBACK } from './ecosystems/ecosystems.ts';
import { readNodeManifest } from './ecosystems/node-manifest.ts';
import { missingProgramNotes, missingPrograms } from './missing-programs.ts';
import { openProject, type ProjectFiles } from './project-files.ts';
import { type FoundForge, repositoryFacts, trackedLockfiles } from './repository-facts.ts';

/** What holds several packages together, and the folders of those packages. */
type Monorepo = { by: string; folders: string[] };

const MAX_PACKAGES = 50;

const MAX_PATTERNS = 50;

const RUNNERS = [
  ['Nx', 'nx.json'],
  ['Turborepo', 'turbo.json'],
  ['Lerna', 'lerna.json'],
  ['Rush', 'rush.json'],
] as const;

/** A folder whose name needs no quoting anywhere. */
const PLAIN_FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** A command that could become a check, and whether it does by default; `missing` is the program that it needs and this machine lacks. */
export type ProposedCheck = { name: string; run: string; isWanted: boolean; missing?: string };

/** Everything that could be found out about a project without running anything of it. */
export type Detection = {
  root: string;
  frameworks: { name: string; folder: string }[];
  packageManagers: string[];
  monorepo: string | null;
  checks: ProposedCheck[];
  setup: string[];
  dependencyDirs: string[];
  /** Ignored files that a fresh clone lacks; they may hold secrets, so that they are only ever copied by consent. */
  privateFiles: string[];
  keyFiles: string[];
  base: string | null;
  hasCommits: boolean;
  forge: FoundForge | null;
  notes: string[];
};

const PRIVATE_FILES = [
  '.env',
  '.env.local',
  '.env.development',
  '.env.development.local',
  '.env.test',
  '.npmrc',
  '.mcp.json',
  'config/master.key',
];
const KEY_FILES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', 'CLAUDE.md', 'docs'];
const DEFAULT_CHECKS: readonly CheckName[] = ['test', 'typecheck', 'lint'];
const PURPOSES: readonly CheckName[] = ['test', 'lint', 'typecheck', 'build'];
const FETCH_SUBMODULES = 'git submodule update --init --recursive';
const MAX_FOLDERS = 20;
const MAX_WORKFLOW_NOTES = 5;

/** Inspects a project from the top of its repository; `from` is the person's current folder in it, `path` the PATH of this machine; without one every program counts as installed. */
export async function detectProject(root: string, where: { from?: string; path?: string } = {}): Promise<Detection> {
  const { from = root, path } = where;
  const hasProgram = (name: string) => path === undefined || 'found' in findOnPath(name, { dir: root, path });
  const files = await openProject(root, { tracked: await trackedLockfiles(root), hasProgram });
  const folders = await findFolders(files, relative(root, from));
  const monorepo = await findMonorepo(files);
  const facts = await repositoryFacts(
    root,
    PRIVATE_FILES.filter((name) => name.includes('/') || files.has(name)),
  );
  const commands = await workflowCommands(files);
  const found = withWorkflows(
    folders.flatMap(({ folder, found: each }) => each.map((one) => ({ folder, ...one }))),
    commands,
  );
  const submodules = await submoduleSetup(files);
  const setup = distinct([
    ...submodules.setup,
    ...found.flatMap(({ folder, setup: each }) => each.map((command) => within(folder, command))),
  ]);
  const proposed = proposeChecks(found);
  const missing = missingPrograms([...setup, ...proposed.map(({ run }) => run)], hasProgram);
  const checks = proposed.map((check) => {
    const program = [...missing].find(([, commands]) => commands.includes(check.run))?.[0];
    return program === undefined ? check : { ...check, missing: program };
  });
  return {
    root,
    frameworks: [...frameworksOf(found), ...(await packageFrameworks(files, monorepo?.folders ?? []))],
    packageManagers: distinct(found.flatMap(({ packageManager }) => packageManager ?? [])),
    monorepo: monorepo?.by ?? null,
    checks,
    setup,
    dependencyDirs: distinct(
      found.flatMap(({ folder, dependencyDirs }) => dependencyDirs.map((dir) => below(folder, dir))),
    ),
    privateFiles: await existing(files, facts.ignored),
    keyFiles: distinct([
      ...KEY_FILES.filter((name) => files.has(name)),
      ...found.flatMap(({ folder, keyFiles }) => keyFiles.map((name) => below(folder, name))),
    ]),
    base: facts.base,
    hasCommits: facts.hasCommits,
    forge: facts.forge,
    notes: [
      ...submodules.notes,
      ...found.flatMap(({ folder, notes }) => notes.map((note) => (folder === '' ? note : `${folder}: ${note}`))),
      ...workflowNotes(commands, checks),
      ...missingProgramNotes(missing),
      ...missingNotes(found),
    ],
  };
}

/** Submodules are empty in a workspace, which has no remote: only those with an address of their own can be fetched there. */
async function submoduleSetup(files: ProjectFiles): Promise<{ setup: string[]; notes: string[] }> {
  const modules = files.has('.gitmodules') ? ((await files.read('.gitmodules')) ?? '') : '';
  const addresses = [...modules.matchAll(/^\s*url\s*=\s*(\S.*)$/gm)].map(([, address = '']) => address.trim());
  if (addresses.length === 0) return { setup: [], notes: [] };
  if (addresses.every((address) => !/^\.\.?\//.test(address))) return { setup: [FETCH_SUBMODULES], notes: [] };
  const note =
    'submodules with a relative address cannot be fetched into a workspace; their folders are empty there, and checks that need them fail';
  return { setup: [], notes: [note] };
}

type ProjectFolder = { folder: string; found: Found[] };
type FoundIn = Found & { folder: string };

/** The top; where nothing is found there, the person's current folder; else the folders right below the top. */
async function findFolders(files: ProjectFiles, from: string): Promise<ProjectFolder[]> {
  const top = await detectEcosystems(files);
  if (top.length > 0) return [{ folder: '', found: top }];
  const isPlain = (path: string) => path !== '' && path.split('/').every((part) => PLAIN_FOLDER.test(part));
  const folders = isPlain(from) ? [from] : files.names.filter((name) => PLAIN_FOLDER.test(name)).slice(0, MAX_FOLDERS);
  const projects: ProjectFolder[] = [];
  for (const folder of folders) {
    const inner = await files.enter(folder);
    const found = inner === undefined ? [] : await detectEcosystems(inner);
    if (found.length > 0) projects.push({ folder, found });
  }
  return projects;
}

async function detectEcosystems(files: ProjectFiles): Promise<Found[]> {
  const all = await Promise.all(ECOSYSTEMS.map((ecosystem) => ecosystem.detect(files)));
  const found = all.filter((each) => each !== undefined);
  const fallback = await FALLBACK.detect(files);
  const known = purposesOf(found);
  const checks = fallback?.checks.filter(({ name }) => !known.has(name)) ?? [];
  return fallback === undefined || checks.length === 0 ? found : [...found, { ...fallback, checks }];
}

function purposesOf(found: readonly Found[]): Set<CheckName> {
  return new Set(found.flatMap(({ checks }) => checks.map(({ name }) => name)));
}

/** Adds what only the workflows show to the first kind of project at the top. */
function withWorkflows(found: readonly FoundIn[], commands: readonly WorkflowCommand[]): FoundIn[] {
  const checks = workflowChecks(commands, purposesOf(found));
  const index = found.findIndex(({ folder }) => folder === '');
  return found.map((each, at) => (at === index ? { ...each, checks: [...each.checks, ...checks] } : each));
}

/** What the workflows run and no check repeats. */
function workflowNotes(commands: readonly WorkflowCommand[], checks: readonly ProposedCheck[]): string[] {
  const known = new Set(checks.map(({ run }) => withoutRun(run)));
  const others = commands.filter(({ run }) => !known.has(withoutRun(run)));
  const rest = others.length - MAX_WORKFLOW_NOTES;
  return [
    ...others.slice(0, MAX_WORKFLOW_NOTES).map(({ run, file }) => `${file} runs "${run}", which is not a check here`),
    ...(rest > 0
      ? [`the workflows run ${rest} more ${rest === 1 ? 'command' : 'commands'} that are not checks here`]
      : []),
  ];
}

/** `pnpm run lint`, `pnpm lint` and both through npx are the same command. */
function withoutRun(command: string): string {
  return command
    .replace(/^npx --yes (?:--package \S+ )?(pnpm|yarn)(?:@\S+)? /, '$1 ')
    .replace(/^(npm|pnpm|yarn|bun) (?:run|run-script) /, '$1 ');
}

/** States which purposes no command was found for. */
function missingNotes(found: readonly Found[]): string[] {
  const known = purposesOf(found);
  const missing = PURPOSES.filter((name) => !known.has(name));
  if (missing.length === 0) return [];
  return [`no command found for: ${missing.join(', ')}; add one under checks if the project has it`];
}

function frameworksOf(found: readonly FoundIn[]): Detection['frameworks'] {
  return found.map(({ framework, folder }) => ({ name: framework, folder }));
}

/** What the packages of a monorepo are built with; their commands are those of the top. */
async function packageFrameworks(files: ProjectFiles, folders: readonly string[]): Promise<Detection['frameworks']> {
  const frameworks: Detection['frameworks'] = [];
  for (const folder of folders) {
    const inner = await files.enter(folder);
    if (inner !== undefined)
      frameworks.push(...frameworksOf((await detectEcosystems(inner)).map((each) => ({ ...each, folder }))));
  }
  return frameworks.filter(({ name }) => name !== 'Node.js');
}

/** Each name once: where two kinds of project have a test, the second is called by its package manager as well. */
function proposeChecks(found: readonly FoundIn[]): ProposedCheck[] {
  const proposed: ProposedCheck[] = [];
  const hasProof = found.some(({ checks }) => checks.some(({ name }) => name === 'test' || name === 'typecheck'));
  for (const { folder, checks, packageManager, framework } of found) {
    for (const { name, run } of checks) {
      const names = [
        name,
        ...(folder === '' ? [] : [nameOf(`${folder}-${name}`)]),
        nameOf(`${packageManager ?? framework}-${name}`),
      ];
      const free = names.find((each) => !proposed.some((other) => other.name === each));
      if (free !== undefined)
        proposed.push({ name: free, run: within(folder, run), isWanted: DEFAULT_CHECKS.includes(name) || !hasProof });
    }
  }
  return proposed;
}

function nameOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-$/, '');
}

/** Folders that get here have names without any character that means something to a shell. */
function within(folder: string, command: string): string {
  return folder === '' ? command : `cd ${folder} && ${command}`;
}

function below(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

async function existing(files: ProjectFiles, paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map(async (path) => ((await files.read(path)) === undefined ? [] : [path])));
  return there.flat();
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** The packages of a repository that holds several, as its workspace settings name them; undefined if it is not one. */
async function findMonorepo(files: ProjectFiles): Promise<Monorepo | undefined> {
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
