import { defineConfig } from 'vitest/config';
import { AgentsReport } from './test/real/report.ts';
import { longestFirst } from './test/support/longest-first.ts';

/** The files that take longest. */
const LONGEST = ['opencode-acp', 'gemini-acp', 'gemini', 'claude-agent-acp', 'codex-acp'].map(
  (name) => `matrix/${name}.test.ts`,
);

export default defineConfig({
  test: {
    // The sandbox too: the package of Codex contains bubblewrap, which many systems do not have.
    include: ['test/real/**/*.test.ts', 'test/escape/*.test.ts', 'test/process/sandbox/sandbox.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 4,
    sequence: { sequencer: longestFirst(LONGEST) },
    // Programs that are not ours, on a machine that may be busy; what was tried again is reported.
    retry: 2,
    reporters: ['default', new AgentsReport()],
  },
});
