import { z } from 'zod';

/** Signs that an attempt may be stuck or failing; warnings only, an attempt is stopped by its limits. */
export const HealthSign = z.enum([
  'silent',
  'long-running',
  'many-turns',
  'near-budget',
  'near-time-limit',
  'much-output',
]);
export type HealthSign = z.infer<typeof HealthSign>;

/** Thresholds for warnings about an attempt. */
export const HealthThresholds = z.strictObject({
  silentSeconds: z
    .number()
    .positive()
    .default(600)
    .describe('Time without output; less where limits.inactivitySeconds would stop the attempt first.'),
  runningSeconds: z.number().positive().default(3600).describe('Warn after this running time.'),
  share: z
    .number()
    .positive()
    .max(1)
    .default(0.8)
    .describe('Warn when this share of its turns, budget or time is used.'),
});
export type HealthThresholds = z.infer<typeof HealthThresholds>;
