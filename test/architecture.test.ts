import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../src/core/graph.ts';

type Source = { file: string; folder: string; text: string; imports: string[] };

const SRC = join(import.meta.dirname, '..', 'src');
const LONGEST_FILE = 250;
const LONGEST_COMPONENT = 120;

/**
 * Folder to what it may import: folders, or single files where only an interface is meant. A file directly in src is a
 * folder of its own, named without its ending.
 */
const MAY_IMPORT: Record<string, readonly string[] | 'everything'> = {
  schema: [],
  core: ['schema', 'errors'],
  recipes: ['schema', 'core', 'errors'],
  process: ['errors', 'world'],
  git: ['process', 'errors', 'world'],
  agents: ['schema', 'process', 'git', 'roles', 'errors', 'world', 'nearest', 'gates/gate.ts', 'forges/forge.ts'],
  gates: ['schema', 'process', 'git', 'roles', 'errors', 'world', 'agents/agent.ts', 'forges/forge.ts'],
  forges: ['schema', 'process', 'git', 'roles', 'errors', 'world', 'agents/agent.ts', 'gates/gate.ts'],
  'model-apis': ['schema', 'errors', 'world', 'process/time-limit.ts', 'agents/prices.ts'],
  bench: ['schema', 'git', 'errors'],
  failures: ['schema'],
  risks: ['schema'],
  roles: ['schema', 'errors', 'nearest'],
  templates: ['schema', 'errors', 'nearest', 'home', 'world', 'config', 'roles/located-yaml.ts'],
  store: ['schema', 'errors', 'world'],
  socket: ['schema', 'errors', 'world'],
  workspaces: ['schema', 'process', 'git', 'errors', 'world', 'gates/gate.ts'],
  config: ['schema', 'errors', 'home', 'world', 'nearest', 'yaml-node'],
  init: ['schema', 'config', 'git', 'process', 'roles', 'errors', 'world', 'home', 'forges/address.ts'],
  inputs: ['schema', 'core', 'errors', 'nearest', 'world', 'yaml-node', 'git/turns.ts'],
  engine: [
    'schema',
    'core',
    'roles',
    'git',
    'process',
    'workspaces',
    'errors',
    'world',
    'home',
    'agents/agent.ts',
    'model-apis/model-api.ts',
    'forges/forge.ts',
    'gates/gate.ts',
    'store/store.ts',
    'recipes/recipe.ts',
    'risks/risk.ts',
    'failures/registry.ts',
  ],
  reports: ['schema', 'core', 'errors'],
  operations: ['schema', 'core', 'errors', 'reports'],
  cli: [
    'operations/caller.ts',
    'schema',
    'core',
    'config',
    'init',
    'home',
    'errors',
    'world',
    'process/detached.ts',
    'inputs',
    'nearest',
    'roles/load.ts',
    'roles/located-yaml.ts',
    'templates',
  ],
  http: ['operations/caller.ts', 'schema', 'errors', 'world'],
  mcp: ['operations', 'schema', 'core', 'errors'],
  dashboard: ['schema', 'core'],
  nearest: [],
  'yaml-node': [],
  errors: [],
  world: [],
  home: ['errors'],
  'launcher-link': ['errors', 'world'],
  wiring: 'everything',
  platform: 'everything',
  main: 'everything',
  app: 'everything',
};

const PACKAGES: Record<string, readonly string[]> = {
  schema: ['zod'],
  core: ['@marcbachmann/cel-js'],
  failures: [],
  recipes: ['zod'],
};
const FORBIDDEN_NAME = /(^|[-/])(utils?|helpers?|common|misc|lib|shared|types|temp|new|v\d+)([-./]|$)|manager|service/i;
const NONDETERMINISM =
  /\bDate\.now\b|\bnew Date\(\)|\brandomUUID\b|\bsetTimeout\b|\bsetInterval\b|\brandomBytes\b|\bMath\.random\b/;

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map(read);

describe('the layout of src', () => {
  it('has a row in the table for every folder', () => {
    expect(sources.filter(({ folder }) => MAY_IMPORT[folder] === undefined).map(({ file }) => file)).toEqual([]);
  });

  it('lets each folder import only what the table allows', () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  it('has no circle of files', () => {
    const nodes = sources.map(({ file, imports }) => ({
      key: file,
      needs: imports.filter((path) => path.endsWith('.ts')),
    }));
    expect(findCycle(nodes)).toBeUndefined();
  });

  it('names every file for its concept', () => {
    expect(sources.map(({ file }) => file).filter((file) => FORBIDDEN_NAME.test(file))).toEqual([]);
    const classes = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\bclass (\w*(?:Manager|Service))\b/g)].map((match) => `${file}: ${match[1]}`),
    );
    expect(classes).toEqual([]);
  });

  it('has no file that is too long to read at once', () => {
    const long = sources.filter(
      ({ file, text }) => lines(text) > (file.endsWith('.tsx') ? LONGEST_COMPONENT : LONGEST_FILE),
    );
    expect(long.map(({ file, text }) => `${file}: ${lines(text)} lines`)).toEqual([]);
  });

  it('has no default exports and no barrels', () => {
    expect(sources.filter(({ text }) => /^export default\b/m.test(text)).map(({ file }) => file)).toEqual([]);
    expect(sources.filter(({ text }) => /^export (\*|\{[^}]*\}) from/m.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the page', () => {
  const shared = /^dashboard\/(api|look|form)\//;
  const features = sources.filter(({ file }) => /^dashboard\/[^/]+\//.test(file) && !/^dashboard\/shell\//.test(file));

  it('has features that know nothing of each other', () => {
    const strange = features.flatMap(({ file, imports }) =>
      imports
        .filter((path) => path.startsWith('dashboard/') && !shared.test(path))
        .filter((path) => path.split('/')[1] !== file.split('/')[1])
        .map((path) => `${file} imports ${path}`),
    );
    expect(strange).toEqual([]);
  });
});

describe('what only one place may do', () => {
  it('is to ask the clock or for chance: only world.ts, and clock.ts of the page', () => {
    expect(filesWith(NONDETERMINISM).sort()).toEqual(['dashboard/look/clock.ts', 'world.ts']);
  });

  it('is to start processes: only src/process', () => {
    const starters = sources.filter(({ imports }) => imports.some((path) => /^(node:)?child_process$/.test(path)));
    expect(starters.map(({ file }) => file).filter((file) => !file.startsWith('process/'))).toEqual([]);
  });

  it('is to end the program: only main.ts', () => {
    expect(filesWith(/\bprocess\.exit\(/).filter((file) => file !== 'main.ts')).toEqual([]);
  });
});

describe('the core', () => {
  const core = sources.filter(({ folder }) => folder === 'core');

  it('is there', () => {
    expect(core.length).toBeGreaterThan(10);
  });

  it.each([
    ['waits for nothing', /\basync\b|\bawait\b|\bPromise\b/],
    ['asks no clock and no chance', NONDETERMINISM],
    ['touches no process, file or network', /\bprocess\.|\bglobalThis\b|\bfetch\(|\brequire\(|\bimport\(/],
    ['writes no log', /\bconsole\./],
  ])('%s', (_, pattern) => {
    expect(core.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('imports nothing but the schema, the errors and a pure evaluator of expressions', () => {
    const allowed = /^(core|schema)\/|^errors\.ts$|^@marcbachmann\/cel-js$/;
    const others = core.flatMap(({ imports }) => imports.filter((path) => !allowed.test(path)));
    expect(others).toEqual([]);
  });
});

function read(file: string): Source {
  const text = readFileSync(join(SRC, file), 'utf8');
  const code = withoutComments(text);
  const found = code.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g,
  );
  const imports = [...found].map((match) => resolve(file, match[1] ?? match[2] ?? match[3] ?? ''));
  return { file, folder: folderOf(file), text: code, imports };
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/^\s*\/\/.*$/gm, '');
}

function resolve(file: string, path: string): string {
  return path.startsWith('.') ? normalize(join(dirname(file), path)) : path;
}

function folderOf(file: string): string {
  return file.split('/')[0]?.replace(/\.tsx?$/, '') ?? file;
}

function forbiddenImports({ file, folder, imports }: Source): string[] {
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined || allowed === 'everything') return [];
  return imports.filter((path) => !mayImport(folder, allowed, path)).map((path) => `${file} imports ${path}`);
}

function mayImport(folder: string, allowed: readonly string[], path: string): boolean {
  if (!/\.tsx?$|\.md$|\.json$/.test(path)) return PACKAGES[folder]?.includes(path) ?? true;
  return folderOf(path) === folder || allowed.includes(folderOf(path)) || allowed.includes(path);
}

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

function lines(text: string): number {
  return text.trimEnd().split('\n').length;
}
