import { z } from 'zod';
import { SOFT_OUTPUT_BYTES } from '../task.ts';
import { Seconds } from './scalars.ts';

/** The maximum number of concurrent attempts where the settings do not set one. */
export const MAX_DEFAULT_AGENTS = 20;

/** Limits on concurrency, retries and time. */
export const LimitsConfig = z
  .strictObject({
    agents: z
      .number()
      .int()
      .min(1)
      .max(150)
      .default(MAX_DEFAULT_AGENTS)
      .describe(
        'Maximum number of concurrent attempts. Default: 4 per processor core or 1 per GB of memory, whichever is less, from 2 to 20.',
      ),
    checks: z.number().int().min(1).max(64).default(2).describe('Maximum number of concurrent checks.'),
    attempts: z.number().int().min(1).max(20).default(3).describe('Maximum attempts per task.'),
    checkReruns: z
      .number()
      .int()
      .min(0)
      .max(5)
      .default(1)
      .describe('How often a check that fails is run again before the failure counts.'),
    runAttempts: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(5_000)
      .describe('Maximum attempts per run, over all tasks.'),
    recoverySlots: z
      .number()
      .int()
      .min(1)
      .max(150)
      .optional()
      .describe(
        'Maximum number of concurrent attempts of a run that repeat failed ones, so that other tasks can start; default: no limit.',
      ),
    workFiles: z
      .number()
      .int()
      .min(1)
      .default(50_000)
      .describe('Maximum number of files that the work of an attempt may add or change; more are not saved.'),
    workFileMb: z
      .number()
      .min(1)
      .default(100)
      .describe(
        'Maximum size in MB of a file that the work of an attempt may add or change; a larger one is not saved.',
      ),
    retryDelaySeconds: z.number().nonnegative().max(86_400).default(5).describe('Delay before a retry.'),
    inactivitySeconds: Seconds.default(300).describe('An attempt without output for this long is stopped.'),
    runtimeSeconds: Seconds.default(3600).describe('Time limit of an attempt.'),
    interactive: z
      .strictObject({
        inactivitySeconds: Seconds.default(28_800).describe(
          'An attempt without output and input for this long is stopped.',
        ),
        runtimeSeconds: Seconds.default(86_400).describe('Time limit of an attempt in a terminal.'),
      })
      .prefault({})
      .describe('Limits of attempts in a terminal, which wait for people.'),
    turns: z.number().int().positive().optional().describe('Maximum turns of an attempt.'),
    output: z
      .strictObject({
        maxBytes: z
          .number()
          .int()
          .positive()
          .default(256 * 1024 * 1024)
          .describe('Maximum output of an attempt, in bytes.'),
        softBytes: z
          .number()
          .int()
          .positive()
          .default(SOFT_OUTPUT_BYTES)
          .describe('Output, in bytes, above which an attempt is warned about and flagged.'),
        onMax: z
          .enum(['stop', 'truncate'])
          .default('stop')
          .describe('At the maximum: stop ends the attempt; truncate lets it continue and discards further output.'),
        finalOnly: z
          .boolean()
          .default(false)
          .describe('Keep only the last message, results, questions and refused permissions.'),
      })
      .prefault({}),
    freeMemoryMb: z.number().nonnegative().default(256).describe('No attempt starts with less free memory.'),
    freeDiskMb: z.number().nonnegative().default(512).describe('No attempt starts with less free disk space.'),
    loadPerCore: z
      .number()
      .positive()
      .optional()
      .describe('No attempt starts while the load average of the last minute, per processor core, is higher.'),
  })
  .prefault({});
