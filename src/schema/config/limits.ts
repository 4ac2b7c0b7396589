import { z } from 'zod';
import { SOFT_OUTPUT_BYTES } from '../task.ts';
import { Seconds } from './scalars.ts';

/** The most attempts at once where the settings name no number. */
export const MAX_DEFAULT_AGENTS = 20;

/** How much at once, how often, how long. */
export const LimitsConfig = z
  .strictObject({
    agents: z
      .number()
      .int()
      .min(1)
      .max(150)
      .default(MAX_DEFAULT_AGENTS)
      .describe(
        'Attempts at once. Where it is not set: 4 per processor core and 1 per GB of memory, whichever is less, from 2 to 20.',
      ),
    checks: z.number().int().min(1).max(64).default(2).describe('Checks at once.'),
    attempts: z.number().int().min(1).max(20).default(3).describe('Tries per task.'),
    runAttempts: z.number().int().min(1).max(100_000).default(5_000).describe('Tries per run, over all tasks.'),
    retryDelaySeconds: z.number().nonnegative().max(86_400).default(5).describe('Wait before a retry.'),
    inactivitySeconds: Seconds.default(300).describe('An attempt that prints nothing for so long is stopped.'),
    runtimeSeconds: Seconds.default(3600).describe('The longest an attempt may take.'),
    interactive: z
      .strictObject({
        inactivitySeconds: Seconds.default(28_800).describe('Nothing shown and nothing typed for so long stops it.'),
        runtimeSeconds: Seconds.default(86_400).describe('The longest it may take.'),
      })
      .prefault({})
      .describe('For attempts in a terminal: they wait for people.'),
    turns: z.number().int().positive().optional().describe('Most turns of an attempt.'),
    output: z
      .strictObject({
        maxBytes: z
          .number()
          .int()
          .positive()
          .default(256 * 1024 * 1024)
          .describe('Most output of an attempt.'),
        softBytes: z
          .number()
          .int()
          .positive()
          .default(SOFT_OUTPUT_BYTES)
          .describe('From so much output on an attempt is warned about and flagged.'),
        onMax: z
          .enum(['stop', 'truncate'])
          .default('stop')
          .describe(
            'stop: the attempt ends for its budget; truncate: it continues, and no more of its output is kept.',
          ),
        finalOnly: z
          .boolean()
          .default(false)
          .describe('Keep only its last message, results, questions and refused permissions.'),
      })
      .prefault({}),
    freeMemoryMb: z.number().nonnegative().default(256).describe('No attempt starts with less memory free.'),
    freeDiskMb: z.number().nonnegative().default(512).describe('No attempt starts with less disk free.'),
  })
  .prefault({});
