import { z } from 'zod';

/** How the merged result is reviewed. */
export const ReviewConfig = z
  .strictObject({
    rounds: z.number().int().min(0).max(20).default(3).describe('Most review rounds; 0 switches review off.'),
  })
  .prefault({});
