import { z } from 'zod';

const Count = z.number().int().nonnegative();

/** What the test runners of a check reported; a test that was skipped, ignored or expected to fail did not run. */
export const TestResults = z.object({
  ran: Count,
  passed: Count,
  failed: Count,
  skipped: Count,
  /** Each recognised runner; `reports` counts its summaries, `named`: its output names every test. */
  runners: z.array(
    z.object({ runner: z.string(), reports: Count, passed: Count, failed: Count, skipped: Count, named: z.boolean() }),
  ),
  /** Names of tests that failed, the first ones. */
  failures: z.array(z.string()),
  /** The hash of the stored list of all tests, where the output names them. */
  list: z.string().optional(),
});
export type TestResults = z.infer<typeof TestResults>;

/** One test as its runner named it. */
export const TestCase = z.object({ name: z.string(), status: z.enum(['passed', 'failed', 'skipped']) });
export type TestCase = z.infer<typeof TestCase>;

/** The tests of a check by runner. */
export const TestList = z.record(z.string(), z.array(TestCase));
export type TestList = z.infer<typeof TestList>;
