import { z } from 'zod';

/** One thing that was checked; one that fails says how to fix it. */
export const DoctorLine = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  detail: z.string(),
  fix: z.string().nullable(),
});
export type DoctorLine = z.infer<typeof DoctorLine>;
