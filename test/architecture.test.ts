import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/steps/generated.mjs';
import { findCycle } from '../src/core/run/graph.ts';
import { AgentKind } from '../src/schema/config/agent.ts';
import { GateSpec } from '../src/schema/gate.ts';

type Source = { file: string; folder: string; text: string; imports: string[] };

const SRC = join(import.meta.dirname, '..', 'src');
const GENERATED = generatedFiles().map(({ path }) => path.replace(/^src\//, ''));
const LONGEST_FILE = 300;
const LONGEST_COMPONENT = 150;
const MOST_FILES_IN_FOLDER = 30;
/** 1,100 for what existed when the layout was made; containment, tools, recipes, hosts, clients and the pool came after it. */
const MOST_SOURCE_FILES = 1_650;
const SMALL_FILE = 25;
const MOST_SMALL_FILES = 20;
/** Folders whose files are the rows of one table. */
const TABLES = ['failures', 'risks', 'gates', 'bench', 'model-apis', 'init/ecosystems'];

/** Files directly in src, each a folder of its own; folders say in their README what they may import. */
const TOP_FILES: Record<string, readonly string[] | 'everything'> = {
  errors: ['server-errors'],
  'server-errors': [],
  world: [],
  home: ['errors'],
  'lazy-zod': ['simple-schema', 'zod-parts'],
  'simple-schema': [],
  'zod-parts': [],
  'run-compiled': ['process'],
  main: 'everything',
  app: 'everything',
  implementations: 'everything',
};

const PACKAGES: Record<string, readonly string[]> = {
  schema: ['zod'],
  core: ['picomatch'],
  failures: [],
  recipes: [
    'zod',
    '@marcbachmann/cel-js',
    'jsonc-parser',
    'yaml',
    'smol-toml',
    'node:buffer',
    'node:fs/promises',
    'node:path',
    'node:crypto',
    'node:fs',
    'csv-parse/sync',
  ],
};
const FORBIDDEN_NAME = /(^|[-/])(utils?|helpers?|common|misc|lib|shared|types|temp|new|v\d+)([-./]|$)|manager|service/i;
const NONDETERMINISM =
  /\bDate\.now\b|\bnew Date\(\)|\brandomUUID\b|\bsetTimeout\b|\bsetInterval\b|\brandomBytes\b|\bMath\.random\b/;

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map(read);

const folders = new Map(
  readdirSync(SRC, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, readFileSync(join(SRC, name, 'README.md'), 'utf8')]),
);

describe('the layout of src', () => {
  it('has a README of 3 to 10 lines in every folder: its question, what it may import, where to start', () => {
    for (const [folder, text] of folders) {
      const count = text.split('\n').filter((line) => line.trim() !== '').length;
      expect(count, folder).toBeGreaterThanOrEqual(3);
      expect(count, folder).toBeLessThanOrEqual(10);
      expect(text, folder).toMatch(/^May import: \S/m);
      expect(text, folder).toMatch(/^Start reading: `/m);
    }
  });

  it('has a rule for every file directly in src', () => {
    const top = sources.filter(({ file }) => !file.includes('/')).map(({ folder }) => folder);
    expect(top.sort()).toEqual(Object.keys(TOP_FILES).sort());
  });

  it('lets each folder import only what its README allows', () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  it('names only what exists as allowed', () => {
    const known = new Set([...folders.keys(), ...Object.keys(TOP_FILES), ...sources.map(({ file }) => file)]);
    const subfolders = new Set(sources.map(({ file }) => dirname(file)));
    const unknown = [...folders.keys()].flatMap((folder) => {
      const allowed = mayImportOf(folder);
      return allowed === 'everything' ? [] : allowed.filter((name) => !known.has(name) && !subfolders.has(name));
    });
    expect(unknown).toEqual([]);
  });

  it('has no folder that is too long to read at once', () => {
    const counts = new Map<string, number>();
    for (const { file } of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST_FILES_IN_FOLDER)).toEqual([]);
  });

  it('has a bounded number of files', () => {
    expect(sources.length).toBeLessThanOrEqual(MOST_SOURCE_FILES);
  });

  it('has few small files that only one file imports, apart from the rows of tables', () => {
    const importers = new Map<string, number>();
    for (const path of sources.flatMap(({ imports }) => [...new Set(imports)]))
      importers.set(path, (importers.get(path) ?? 0) + 1);
    const small = sources
      .filter(({ file }) => !GENERATED.includes(file) && !TABLES.includes(dirname(file)))
      .filter(({ file, text }) => lines(text) <= SMALL_FILE && importers.get(file) === 1);
    expect(small.length, small.map(({ file }) => file).join(', ')).toBeLessThanOrEqual(MOST_SMALL_FILES);
  });

  it('uses no file name twice in one folder of src, apart from the one that both databases have', () => {
    const names = sources
      .filter(({ file }) => file.includes('/'))
      .map(({ file, folder }) => `${folder}/**/${basename(file)}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual(['store/**/open.ts']);
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
    const long = sources
      .filter(({ file }) => !GENERATED.includes(file))
      .filter(({ file, text }) => lines(text) > (file.endsWith('.tsx') ? LONGEST_COMPONENT : LONGEST_FILE));
    expect(long.map(({ file, text }) => `${file}: ${lines(text)} lines`)).toEqual([]);
  });

  it('has no default exports and no barrels', () => {
    expect(sources.filter(({ text }) => /^export default\b/m.test(text)).map(({ file }) => file)).toEqual([]);
    expect(sources.filter(({ text }) => /^export (\*|\{[^}]*\}) from/m.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the layout of test', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && folders.has(folderOf(file)))
    .map((file) => ({ file, folder: dirname(file), name: basename(file, '.test.ts') }));
  const sourceFolders = new Set(sources.map(({ file }) => dirname(file)));

  it('has the folders of src', () => {
    expect(tests.filter(({ folder }) => !sourceFolders.has(folder) && !folders.has(folder))).toEqual([]);
    expect(tests.length).toBeGreaterThan(200);
  });

  it('has the test of a source file in the folder of that file', () => {
    const elsewhere = tests.flatMap(({ file, folder, name }) => {
      const named = sources.filter(
        (each) => each.folder === folderOf(file) && basename(each.file).split('.')[0] === name,
      );
      const isThere = named.length === 0 || named.some((each) => dirname(each.file) === folder);
      return isThere ? [] : [`${file}: ${named.map((each) => each.file).join(', ')}`];
    });
    expect(elsewhere).toEqual([]);
  });
});

describe('the dashboard', () => {
  const dashboard = sources.filter(({ folder }) => folder === 'dashboard');
  const importsOf = (layer: RegExp, isForbidden: (path: string, file: string) => boolean) =>
    dashboard
      .filter(({ file }) => layer.test(file))
      .flatMap(({ file, imports }) =>
        imports
          .filter((path) => path.startsWith('dashboard/') && isForbidden(path, file))
          .map((path) => `${file} imports ${path}`),
      );

  it('lets ui and api import neither features nor app', () => {
    const isAbove = (path: string) => !/^dashboard\/(api|ui)\//.test(path);
    expect(importsOf(/^dashboard\/(api|ui)\//, isAbove)).toEqual([]);
  });

  it('lets a feature import ui and api, but no other feature and not app', () => {
    const featureOf = (path: string) => path.split('/').slice(0, 3).join('/');
    const isForeign = (path: string, file: string) =>
      !/^dashboard\/(api|ui)\//.test(path) && featureOf(path) !== featureOf(file);
    expect(importsOf(/^dashboard\/features\//, isForeign)).toEqual([]);
  });

  it('uses no file name twice', () => {
    const names = dashboard.map(({ file }) => basename(file).replace(/\.tsx?$/, ''));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('the glossary', () => {
  const page = readFileSync(join(SRC, '..', 'GLOSSARY.md'), 'utf8');
  const [table = '', general = ''] = page.split('## General terms');
  const terms = [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term = '']) => term.replace(/\(.*?\)/g, ''));
  const [, listed = ''] = /name of a type: ([^.]*)\./.exec(general) ?? [];
  const known = new Set([...terms.flatMap((term) => term.split(/[ /-]+/)), ...listed.split(', ')].map(singular));

  it('is in alphabetical order', () => {
    const rows = terms.slice(1).map((term) => term.trim().toLowerCase());
    expect(rows.length).toBeGreaterThan(100);
    expect(rows).toEqual([...rows].sort());
  });

  it('has the noun of every type that core and engine export', () => {
    const unlisted = sources
      .filter(({ folder }) => folder === 'core' || folder === 'engine')
      .flatMap(({ file, text }) =>
        [...text.matchAll(/^export (?:abstract )?(?:type|interface|class) (\w+)/gm)]
          .filter((found) => !/^(<\w+>)? = \(.*=>/.test(text.slice(found.index + found[0].length)))
          .map(([, name = '']) => ({ file, name, noun: /[A-Z][a-z]+$/.exec(name)?.[0] ?? name })),
      )
      .filter(({ noun }) => !known.has(singular(noun)));
    expect(unlisted.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });
});

describe('what only one place may do', () => {
  it('is to ask the clock or for chance: only world.ts, and clock.ts of the page', () => {
    expect(filesWith(NONDETERMINISM).sort()).toEqual(['dashboard/ui/browser/clock.ts', 'world.ts']);
  });

  it('is to start processes: only src/process', () => {
    const starters = sources.filter(({ imports }) => imports.some((path) => /^(node:)?child_process$/.test(path)));
    expect(starters.map(({ file }) => file).filter((file) => !file.startsWith('process/'))).toEqual([]);
  });

  it('is to change the umask: nobody, because it belongs to all threads', () => {
    expect(filesWith(/\bumask\(\w/)).toEqual([]);
  });

  it('is to end the program: only main.ts, and the program that ends with the one it contains', () => {
    // Connections that a contained program has left open must not delay its end.
    const ending = ['main.ts', 'process/sandbox/runtime-program.ts'];
    expect(filesWith(/\bprocess\.exit\(/).filter((file) => !ending.includes(file))).toEqual([]);
  });
});

describe('names that decide', () => {
  const outside = (folder: string, pattern: RegExp) =>
    sources.filter(({ file, text }) => !file.startsWith(folder) && pattern.test(text)).map(({ file }) => file);

  it('of recipes are compared only in recipes, and no table outside has them as keys', () => {
    const compared = /\brecipe(\.name)? [!=]== '\w|'\w+' [!=]== [\w.]*\brecipe\b|switch \([\w.]*recipe(\.name)?\)/;
    const lookedUp = /\b[A-Z][A-Z_]+\[[\w.]*\brecipe(\.name)?\]|\]\.includes\([\w.]*\brecipe(\.name)?\)/;
    expect(outside('recipes/', compared)).toEqual([]);
    expect(outside('recipes/', lookedUp)).toEqual([]);
  });

  it('of agents are compared only in agents', () => {
    const kinds = AgentKind.options.join('|');
    const compared = `\\b(kind|agent|name) [!=]== '(${kinds})'|includes\\('(${kinds})'\\)`;
    expect(outside('agents/', new RegExp(compared))).toEqual([]);
    expect(outside('agents/', /'rehearsal'/)).toEqual(['schema/config/agent.ts']);
  });

  it('of gates are compared only in gates', () => {
    const kinds = GateSpec.options.map(({ shape }) => shape.gate.value).join('|');
    const compared = `\\bgate [!=]== '(${kinds})'|switch \\([\\w.]*\\bgate\\)|GateSpec\\['gate'\\]`;
    expect(outside('gates/', new RegExp(compared))).toEqual([]);
  });
});

describe('events', () => {
  it('are decided in core only', () => {
    const built = sources.filter(
      ({ file, text }) => !/^(core|schema)\//.test(file) && /\btype: '[a-z]+\.[a-z-]+'/.test(text),
    );
    expect(built.map(({ file }) => file)).toEqual([]);
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

  it('imports nothing but the schema, the errors, the prompt texts and the kinds of agents and gates', () => {
    const allowed =
      /^picomatch$|^(core|schema)\/|^errors\.ts$|^roles\/prompt\.ts$|^(agents\/agent|gates\/gate)-kinds\.ts$/;
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

function mayImportOf(folder: string): readonly string[] | 'everything' {
  const [, listed = ''] = /^May import: (.*)$/m.exec(folders.get(folder) ?? '') ?? [];
  if (listed === '') return TOP_FILES[folder] ?? [];
  if (listed === 'everything') return 'everything';
  return listed === 'nothing' ? [] : listed.split(', ');
}

function forbiddenImports({ file, folder, imports }: Source): string[] {
  const allowed = mayImportOf(folder);
  if (allowed === 'everything') return [];
  return imports.filter((path) => !mayImport(folder, allowed, path)).map((path) => `${file} imports ${path}`);
}

function mayImport(folder: string, allowed: readonly string[], path: string): boolean {
  if (!/\.tsx?$|\.md$|\.json$/.test(path)) return PACKAGES[folder]?.includes(path) ?? true;
  return folderOf(path) === folder || allowed.some((name) => covers(name, path));
}

/** `core` allows a folder, `agents/agent.ts` one file, `errors` a file directly in src. */
function covers(name: string, path: string): boolean {
  return path === name || path === `${name}.ts` || path.startsWith(`${name}/`);
}

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

function singular(word: string): string {
  return word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s])s$/, '');
}

function lines(text: string): number {
  return text.trimEnd().split('\n').length;
}

describe('the main path in ARCHITECTURE.md', () => {
  const page = readFileSync(join(SRC, '..', 'ARCHITECTURE.md'), 'utf8');
  const [, block = ''] = /## The main path[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? [];
  const steps = block
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [file = '', name = ''] = line.trim().split(':');
      return { file, name, depth: line.search(/\S/) };
    });
  /** What is chosen in the composition root and called through an interface. */
  const chosen = [...new Set(['main.ts', 'implementations.ts'])]
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n');

  it('names files and functions that exist', () => {
    const missing = steps.filter(({ file, name }) => {
      const source = sources.find((each) => each.file === file);
      return source === undefined || !new RegExp(`\\b${name}\\b`).test(source.text);
    });
    expect(missing).toEqual([]);
    expect(steps.length).toBeGreaterThan(50);
  });

  it('lists each step below the one that calls it', () => {
    const unrelated = steps.flatMap((step, index) => {
      const caller = steps.slice(0, index).findLast(({ depth }) => depth < step.depth);
      if (caller === undefined) return [];
      const text = sources.find(({ file }) => file === caller.file)?.text ?? '';
      const isCalled = new RegExp(`\\b${step.name}\\b`).test(text) || new RegExp(`\\b${step.name}\\b`).test(chosen);
      return isCalled ? [] : [`${caller.file} does not call ${step.name} of ${step.file}`];
    });
    expect(unrelated).toEqual([]);
  });

  it('is short: at most 65 files, and at most 30 returns to a folder that was left', () => {
    expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(65);
    const folders = steps.map(({ file }) => file.split('/')[0] ?? file);
    const left = new Set<string>();
    let returns = 0;
    for (const [index, folder] of folders.entries()) {
      const before = folders[index - 1];
      if (before === undefined || before === folder) continue;
      left.add(before);
      if (left.has(folder)) returns += 1;
    }
    expect(returns).toBeLessThanOrEqual(30);
  });
});
