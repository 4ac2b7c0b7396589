import { z } from 'zod';

const Size = { columns: z.number().int().min(1).max(1_000), rows: z.number().int().min(1).max(1_000) };

/** What the program that holds a terminal is to start in it. */
export const PtyInput = z.object({
  command: z.array(z.string()).min(1),
  cwd: z.string(),
  size: z.object(Size),
});
export type PtyInput = z.infer<typeof PtyInput>;

/** What it is told while it runs, a line of JSON each: bytes that are typed, or another size. */
export const PtyCommand = z.union([z.object({ type: z.base64() }), z.object(Size)]);
export type PtyCommand = z.infer<typeof PtyCommand>;
