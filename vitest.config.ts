import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/crash/full/**', 'test/real/**', 'node_modules/**', 'dist/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Real processes on a machine that may be busy; the report says what was tried again.
    retry: 1,
    pool: 'forks',
    // Most tests wait for processes of their own.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
