import { z } from 'zod';

/** How secrets in the work of agents are found. */
export const SecretsConfig = z
  .strictObject({
    off: z.boolean().default(false).describe('Look for no secrets at all.'),
    allow: z
      .array(z.string().regex(/^[0-9a-f]{16}$/, 'must be a fingerprint of 16 characters, as the evidence shows it'))
      .default([])
      .describe('Fingerprints of findings that are no secrets, as the evidence of the gate shows them.'),
  })
  .prefault({});
