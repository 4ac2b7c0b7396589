import { z } from 'zod';

/** The result of one check; a failed one contains a fix. */
export const DoctorLine = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  detail: z.string(),
  fix: z.string().nullable(),
});
export type DoctorLine = z.infer<typeof DoctorLine>;
