import { z } from 'zod';

const Size = { columns: z.number().int().min(1).max(1_000), rows: z.number().int().min(1).max(1_000) };

/** What the terminal program starts in its terminal. */
export const PtyInput = z.object({
  command: z.array(z.string()).min(1),
  cwd: z.string(),
  size: z.object(Size),
});
export type PtyInput = z.infer<typeof PtyInput>;

/** A command to the running terminal program, one JSON line each: typed bytes, or a new size. */
export const PtyCommand = z.union([z.object({ type: z.base64() }), z.object(Size)]);
export type PtyCommand = z.infer<typeof PtyCommand>;
