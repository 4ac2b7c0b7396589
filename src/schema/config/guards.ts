import { z } from 'zod';

/** Which changes a person has to see first. */
export const GuardsConfig = z
  .strictObject({
    tests: z.array(z.string()).default([]).describe('More globs of test files.'),
    config: z
      .array(z.string())
      .default([])
      .describe('More globs of files that decide how checks run; a change to one is held.'),
    allow: z.array(z.string()).default([]).describe('Globs that are never held.'),
    registries: z
      .array(z.string())
      .default([])
      .describe(
        'Origins (https://host) from which lockfiles may take packages, in addition to those they already name.',
      ),
  })
  .prefault({});
