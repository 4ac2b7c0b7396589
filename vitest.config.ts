import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';
import { RetriedReport } from './test/support/retried-report.ts';

/** The files that take longest. */
const LONGEST = [
  'test/examples.test.ts',
  'test/browser/home-and-run.test.ts',
  'test/browser/idle.test.ts',
  'test/hostile/git.test.ts',
  'test/crash/sample.test.ts',
  'test/operations/models/routing.test.ts',
  'test/hostile/features.test.ts',
  'test/e2e/interactive.test.ts',
  'test/e2e/features.test.ts',
  'test/e2e/workflow.test.ts',
  'test/e2e/previous-version.test.ts',
  'test/e2e/leaving.test.ts',
  'test/hostile/check.test.ts',
  'test/http/serve.test.ts',
  'test/e2e/tool-todo.test.ts',
  'test/e2e/bulk.test.ts',
  'test/browser/journey.test.ts',
  'test/e2e/keeping.test.ts',
  'test/e2e/retry.test.ts',
  'test/e2e/tool-bulk.test.ts',
  'test/browser/task.test.ts',
  'test/e2e/never-silent.test.ts',
  'test/engine/maintenance/automatic-backup.test.ts',
  'test/e2e/acceptance.test.ts',
  'test/operations/models/bench.test.ts',
  'test/browser/every-page.test.ts',
  'test/git/save/save.test.ts',
  'test/e2e/repository-gone.test.ts',
  'test/e2e/sending.test.ts',
  'test/hostile/bend.test.ts',
  'test/e2e/inspection.test.ts',
  'test/hostile/user.test.ts',
  'test/hostile/plan.test.ts',
  'test/hostile/reach.test.ts',
  'test/hostile/output.test.ts',
  'test/contributing.test.ts',
  'test/launcher/launcher.test.ts',
];

const SOURCES = fileURLToPath(new URL('./src/', import.meta.url));
const LAZY_ZOD = join(SOURCES, 'lazy-zod.ts');
const ZOD_PARTS = join(SOURCES, 'zod-parts.ts');
const lazyZod: Plugin = {
  name: 'lazy-zod',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === 'zod' && importer?.startsWith(SOURCES) && importer !== ZOD_PARTS ? LAZY_ZOD : undefined,
};

/** Folders whose tests keep nothing in their modules and do not look at the processes of others: a worker loads the sources once for all of them. */
const SHARED = [
  ...['agents', 'cli', 'config', 'core', 'dashboard', 'e2e', 'engine', 'failures', 'forges', 'gates', 'git', 'guards'],
  ...[
    'hostile',
    'http',
    'init',
    'mcp',
    'model-apis',
    'operations',
    'recipes',
    'reports',
    'risks',
    'roles',
    'store',
    'templates',
    'work-files',
    'workspaces',
  ],
].map((folder) => `test/${folder}/**/*.test.ts`);
const BROWSER = ['test/browser/**/*.test.ts'];
const NEVER = ['test/crash/full/**', 'test/real/**', 'node_modules/**', 'dist/**'];
/** Servers and hosts that fail: npm run test:hosts. Only a sample of them is part of npm test. */
if (process.env.MANYHANDS_TEST_HOSTS === undefined) NEVER.push('test/hosts/!(sample).test.ts');

export default defineConfig({
  // As in the build: schemas are built when they are used.
  plugins: [lazyZod],
  test: {
    projects: [
      // First and by itself: a browser cancels its requests when a test of hosts adds a network to the machine.
      { extends: true, test: { name: 'browser', include: BROWSER, exclude: NEVER, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: { name: 'shared', include: SHARED, exclude: NEVER, isolate: false, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [...NEVER, ...SHARED, ...BROWSER],
          sequence: { groupOrder: 2 },
        },
      },
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Real processes on a machine that may be busy; the report says what was tried again.
    retry: 1,
    pool: 'forks',
    // Most tests wait for processes of their own.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: longestFirst(LONGEST) },
    reporters: ['default', new RetriedReport()],
  },
});
