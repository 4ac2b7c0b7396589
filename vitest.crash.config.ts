import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/crash/full/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
