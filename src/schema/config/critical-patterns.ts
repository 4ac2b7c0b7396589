import { z } from 'zod';

/** Texts by which the user recognises a broken environment. */
export const CriticalPatterns = z
  .array(
    z.strictObject({
      pattern: z.string().min(1).refine(isPattern, 'is no regular expression'),
      label: z.string().min(1),
    }),
  )
  .default([])
  .describe("Texts on an agent's error channel that mean: the environment is broken.");

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    // Exactly what is asked here.
    return false;
  }
}
