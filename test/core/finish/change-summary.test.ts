import { describe, expect, it } from 'vitest';
import { changeSummary } from '../../../src/core/finish/change-summary.ts';
import { fileKind } from '../../../src/core/finish/file-kind.ts';
import { guard } from '../../../src/guards/guards.ts';
import type { FileChange } from '../../../src/schema/change.ts';

function change(path: string, more: Partial<FileChange> = {}): FileChange {
  return { path, status: 'modified', added: 1, deleted: 0, binary: false, ...more };
}

const risksOf = (...changes: FileChange[]) => changeSummary(changes).risks.map(({ risk }) => risk);

describe('a changed file', () => {
  it.each([
    ['src/cart.ts', 'source'],
    ['app/models/user.rb', 'source'],
    ['src/cart.test.ts', 'test'],
    ['tests/test_cart.py', 'test'],
    ['pkg/cart_test.go', 'test'],
    ['package-lock.json', 'lock'],
    ['go.sum', 'lock'],
    ['package.json', 'config'],
    ['requirements.txt', 'config'],
    ['.github/workflows/ci.yml', 'config'],
    ['README.md', 'docs'],
    ['docs/how.html', 'docs'],
    ['dist/main.js', 'generated'],
    ['src/api.pb.go', 'generated'],
    ['logo.bin', 'other'],
    ['src/contest.ts', 'source'],
    ['src/latest.ts', 'source'],
  ])('%s is %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

describe('a test', () => {
  const isGuarded = async (path: string) => {
    const files = { paths: new Set([path]), read: async () => '', search: async () => [] };
    const sources = { base: files, candidate: files, special: new Map() };
    const settings = { tests: [], config: [], allow: [], registries: [], gates: [] };
    const changed = [{ path, status: 'modified' as const }];
    return (await guard({ changed, ...settings, ...sources })).overlay.includes(path);
  };

  it.each([
    'test.js',
    'lib/test.mts',
    'test-all.tsx',
    'tests.py',
    'a/test_b.py',
    'a.cy.ts',
    'a.spec.d.ts',
    'a-test.c',
    'b_spec.rb',
    'src/CartIT.java',
    'CartTestCase.php',
    'CartSpec.scala',
    'cart.feature',
    'cart.bats',
    '__test__/a.js',
    'a/__fixtures__/b.bin',
    'Shop.Tests/Cart.cs',
    'ShopTests/deep/Cart.swift',
    'app/src/androidTest/A.kt',
    'cart.tests.ts',
    'app/fixtures/cart.json',
    'src/__snapshots__/cart.snap',
    'dist/cart.test.js',
    'test/package.txt',
  ])('%s is one for the guards and for the summary', async (path) => {
    expect([await isGuarded(path), fileKind(path)]).toEqual([true, 'test']);
  });

  it.each(['contest.js', 'latest.py', 'scripts/run-tests.mjs', 'src/attest-all.ts', 'src/Unit.java'])(
    '%s is none for both',
    async (path) => {
      expect([await isGuarded(path), fileKind(path)]).toEqual([false, 'source']);
    },
  );
});

describe('a change in figures', () => {
  it('counts files and lines by kind', () => {
    const { kinds } = changeSummary([
      change('a.ts', { added: 3 }),
      change('b.ts', { deleted: 2 }),
      change('a.test.ts'),
    ]);
    expect(kinds).toEqual([
      { kind: 'source', files: 2, added: 4, deleted: 2 },
      { kind: 'test', files: 1, added: 1, deleted: 0 },
    ]);
  });

  it('requests tests if source files grew and no test changed', () => {
    expect(changeSummary([change('a.ts')]).tests.needed).toBe(true);
    expect(changeSummary([change('a.ts'), change('a.test.ts')]).tests.needed).toBe(false);
    expect(changeSummary([change('a.ts'), change('a.test.ts', { status: 'deleted' })]).tests.needed).toBe(true);
    expect(changeSummary([change('README.md'), change('a.ts', { added: 0, deleted: 5 })]).tests.needed).toBe(false);
  });

  it('names what a person should review', () => {
    expect(risksOf(change('.env'))).toContain('sensitive-file');
    expect(risksOf(change('.env.example'))).not.toContain('sensitive-file');
    expect(risksOf(change('yarn.lock'))).toContain('lock-alone');
    expect(risksOf(change('yarn.lock'), change('package.json'))).not.toContain('lock-alone');
    expect(risksOf(change('a.test.ts', { status: 'deleted' }))).toContain('tests-deleted');
    expect(risksOf(change('a.ts', { added: 900 }))).toContain('large');
    expect(risksOf(change('a.ts'))).toEqual([]);
  });
});
