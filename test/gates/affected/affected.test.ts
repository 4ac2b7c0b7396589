import { describe, expect, it, test } from 'vitest';
import { affectedPackages, expandCommand, isStartable, unquotable } from '../../../src/gates/affected/affected.ts';
import { readWorkspace, type WorkspaceFiles, workspaceKind } from '../../../src/gates/affected/workspace-graph.ts';

function filesOf(texts: Record<string, string>): WorkspaceFiles {
  return {
    paths: new Set(Object.keys(texts)),
    readAll: async (paths) => new Map(paths.flatMap((path) => (path in texts ? [[path, texts[path] ?? '']] : []))),
    lines: async (pattern) =>
      Object.entries(texts).flatMap(([path, text]) =>
        text.split('\n').flatMap((line) => (new RegExp(pattern).test(line) ? [{ path, line }] : [])),
      ),
  };
}

const manifest = (name: string, more: object = {}) => JSON.stringify({ name, ...more });
const NODE_MEMBERS = {
  'packages/core/package.json': manifest('@x/core'),
  'packages/api/package.json': manifest('@x/api', { dependencies: { '@x/core': 'workspace:*' } }),
  'apps/web/package.json': manifest('web', { devDependencies: { '@x/api': '^1.0.0' } }),
  'apps/old/package.json': manifest('old'),
  'apps/web/node_modules/left/package.json': manifest('left'),
};
const GLOBS = ['packages/*', 'apps/*', '!apps/old'];
const NODE_GRAPH = [
  { name: '@x/core', folder: 'packages/core', needs: [] },
  { name: '@x/api', folder: 'packages/api', needs: ['@x/core'] },
  { name: 'web', folder: 'apps/web', needs: ['@x/api'] },
];

describe('the packages of a workspace', () => {
  test.each([
    ['npm and bun', { 'package.json': manifest('root', { workspaces: GLOBS }) }],
    ['yarn', { 'package.json': manifest('root', { workspaces: { packages: GLOBS } }) }],
    ['pnpm', { 'pnpm-workspace.yaml': `packages:\n${GLOBS.map((glob) => `  - '${glob}'\n`).join('')}` }],
  ])('of %s', async (_name, root) => {
    expect(await readWorkspace('node', filesOf({ ...root, ...NODE_MEMBERS }))).toMatchObject(NODE_GRAPH);
  });

  it('of cargo: members, path dependencies, renamed and target-specific ones', async () => {
    const files = filesOf({
      'Cargo.toml':
        '[package]\nname = "root"\n[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/out"]\n[dependencies]\ntool = { path = "tool" }\n',
      'crates/core/Cargo.toml': '[package]\nname = "core-lib"\n',
      'crates/api/Cargo.toml':
        '[package]\nname = "api"\n[target."cfg(unix)".dependencies]\nc = { package = "core-lib", path = "../core" }\n',
      'crates/out/Cargo.toml': '[package]\nname = "out"\n',
      'tool/Cargo.toml': '[package]\nname = "tool"\n[dev-dependencies]\napi.workspace = true\n',
    });
    expect(await readWorkspace('cargo', files)).toMatchObject([
      { name: 'root', folder: '', needs: ['tool'] },
      { name: 'core-lib', folder: 'crates/core', needs: [] },
      { name: 'api', folder: 'crates/api', needs: ['core-lib'] },
      { name: 'tool', folder: 'tool', needs: ['api'] },
    ]);
  });

  it('of go: each folder with sources, by its imports, across the modules of a go.work', async () => {
    const files = filesOf({
      'go.work': 'use ./a\nuse ./b\n',
      'a/go.mod': 'module example.com/a\n',
      'a/util/util.go': 'package util\n',
      'a/util/testdata/x.go': 'package broken\n',
      'b/go.mod': 'module example.com/b\n',
      'b/main.go': 'package main\nimport (\n\tu "example.com/a/util"\n)\n',
      'b/vendor/example.com/c/c.go': 'package c\n',
    });
    expect(await readWorkspace('go', files)).toMatchObject([
      { name: './a/util', needs: [] },
      { name: './b', needs: ['./a/util'] },
    ]);
  });

  it('are those of the program that the command calls', () => {
    const paths = new Set(['Cargo.toml', 'package.json', 'go.mod']);
    const kinds = [
      'cargo test -p {packages}',
      'go vet {packages}',
      'pnpm --filter {packages} test',
      'sh t.sh {packages}',
    ];
    expect(kinds.map((command) => workspaceKind(command, paths))).toEqual(['cargo', 'go', 'node', 'node']);
    expect(workspaceKind('sh t.sh {packages}', new Set(['a.c']))).toBeUndefined();
  });
});

test.each<[string, string[], string[]]>([
  ['a package and all that need it', ['packages/core/x.ts'], ['@x/core', '@x/api', 'web']],
  ['only the package itself where none needs it', ['apps/web/x.ts'], ['web']],
  ['documentation outside of packages affects none', ['README.md', 'docs/a.md'], []],
  ['any other file outside of packages affects all', ['tsconfig.base.json'], ['@x/core', '@x/api', 'web']],
])('%s', (_name, changed, expected) => {
  const graph = NODE_GRAPH.map((each) => ({ ...each, manifest: `${each.folder}/package.json` }));
  const isDocumentation = (path: string) => path.endsWith('.md');
  expect([...affectedPackages({ base: graph, candidate: graph, changed, isDocumentation })]).toEqual(expected);
});

test('a dependency that a change removes or adds counts', () => {
  const base = [
    { name: 'a', folder: 'a', manifest: 'a/package.json', needs: ['b'] },
    { name: 'b', folder: 'b', manifest: 'b/package.json', needs: [] },
  ];
  const candidate = base.map((each) => ({ ...each, needs: each.name === 'b' ? ['c'] : [] }));
  const affected = affectedPackages({ base, candidate, changed: ['b/x'], isDocumentation: () => false });
  expect([...affected]).toEqual(['b', 'a']);
});

test.each<[string, string | string[], string | string[] | undefined]>([
  ['an option is repeated for each package', 'npm test -w {packages}', 'npm test -w a -w @x/b'],
  ['a joined option too', 'pnpm --filter={packages} test', 'pnpm --filter=a --filter=@x/b test'],
  ['a list of words', ['cargo', 'test', '-p', '{packages}'], ['cargo', 'test', '-p', 'a', '-p', '@x/b']],
  ['another option is not', 'go test -v {packages}', 'go test -v a @x/b'],
  ['files are quoted', 'eslint --fix {changed} && x', "eslint --fix s.js 't $(x).ts' ./-u && x"],
  ['files by their names', 'tsc {changed:*.ts,*.tsx}', "tsc 't $(x).ts'"],
  ['quotes around a placeholder are not needed', 'a "{changed:*.ts}"', "a 't $(x).ts'"],
  ['nothing to check', 'ruff {changed:*.py}', undefined],
  ['words without a value', ['eslint', '{changed:*.py}'], undefined],
])('%s', (_name, run, expected) => {
  const selection = { packages: ['a', '@x/b'], changed: ['s.js', 't $(x).ts', '-u'] };
  expect(expandCommand(run, selection)).toEqual(expected);
});

test('a file name that a shell would expand is refused inside quotes, and so is a command that cannot be started', () => {
  const selection = { packages: [], changed: ['ok.js', '$(touch x)'] };
  expect(unquotable('sh -c "eslint {changed}"', selection)).toBe('$(touch x)');
  expect(unquotable(`sh -c 'eslint {changed}'`, selection)).toBe('$(touch x)');
  expect(unquotable('eslint {changed}', selection)).toBeUndefined();
  expect([isStartable('x'.repeat(200_000)), isStartable(['x'])]).toEqual([false, true]);
});
