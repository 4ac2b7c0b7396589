import { z } from 'zod';

/** Signs that an attempt may be in trouble; warnings only, the limits are what stops it. */
export const HealthSign = z.enum([
  'silent',
  'long-running',
  'many-turns',
  'near-budget',
  'near-time-limit',
  'much-output',
]);
export type HealthSign = z.infer<typeof HealthSign>;

/** From when on an attempt is warned about. */
export const HealthThresholds = z.strictObject({
  silentSeconds: z
    .number()
    .positive()
    .default(600)
    .describe('Silent for so long; sooner where limits.inactivitySeconds would stop it first.'),
  runningSeconds: z.number().positive().default(3600).describe('Running for so long.'),
  share: z.number().positive().max(1).default(0.8).describe('So much of its turns, money or time used up.'),
});
export type HealthThresholds = z.infer<typeof HealthThresholds>;
