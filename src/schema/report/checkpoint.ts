import { z } from 'zod';

const Lines = z.array(z.string());

/** How far a long attempt is, derived from its transcript by rules. What agents wrote is in it as they wrote it, one line each. */
export const Checkpoint = z.object({
  at: z.string().describe('When the last row was written.'),
  steps: z.number().int().describe('Rows of the transcript so far.'),
  done: Lines.describe('Milestones and entries of its list that it completed, and tests that passed.'),
  found: Lines.describe('What it says it found, and tests that failed.'),
  changed: Lines.describe('Files that it changed, the latest last.'),
  remaining: Lines.describe('Milestones and entries of its list that it did not complete.'),
  drift: Lines.describe('Signs that it works on something else or makes no progress.'),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
