import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/real/order.ts';
import { AgentsReport } from './test/real/report.ts';

export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 4,
    sequence: { sequencer: LongestFirst },
    // Programs that are not ours, on a machine that may be busy; what was tried again is reported.
    retry: 2,
    reporters: ['default', new AgentsReport()],
  },
});
