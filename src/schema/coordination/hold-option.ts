import { z } from 'zod';

/** An answer to a hold, to choose from several. */
export const HoldOption = z.object({
  id: z.string(),
  label: z.string(),
  needsNote: z.boolean().optional().describe('It is chosen with a note.'),
});
