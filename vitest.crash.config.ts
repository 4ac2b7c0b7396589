import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

/** The files that take longest. */
const LONGEST = ['later-passes', 'first-pass', 'random-kills', 'twice', 'tools'].map(
  (name) => `crash/full/${name}.test.ts`,
);

export default defineConfig({
  test: {
    include: ['test/crash/full/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Most of the time is spent waiting for processes of the tests.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: longestFirst(LONGEST) },
  },
});
