import { z } from 'zod';

/** Every risk that is looked for; `risks/` has one file for each, and one table for those that checks of a candidate find. */
export const RiskName = z.enum([
  'stalled',
  'repeated-search',
  'excessive-output',
  'destructive-command',
  'claim-after-failed-test',
  'secret-like-output',
  'model-mismatch',
  'sensitive-file',
  'scope-violation',
  'permission-denied',
  'budget-stopped',
  'untrusted-settings',
  'not-checked',
  'suppressed-file',
  'suppressed-line',
  'tests-missing',
  'tests-skipped',
  'fewer-tests',
  'test-passes-on-base',
  'not-proven',
  'flaky-check',
  'green-after-red',
  'known-red',
]);
export type RiskName = z.infer<typeof RiskName>;

export const RiskSeverity = z.enum(['low', 'medium', 'high']);
export type RiskSeverity = z.infer<typeof RiskSeverity>;

/** `block` holds the work for a person before it lands. */
export const RiskPolicy = z.enum(['off', 'warn', 'block']);
export type RiskPolicy = z.infer<typeof RiskPolicy>;

/** A risk that was found in an attempt, or by the checks of its work. */
export const RiskFlag = z.object({
  risk: RiskName,
  severity: RiskSeverity,
  blocking: z.boolean(),
  detail: z.string(),
});
export type RiskFlag = z.infer<typeof RiskFlag>;
