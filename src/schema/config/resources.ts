import { z } from 'zod';

/** What an attempt, a check or a set-up command may use of the machine, each with all processes that it starts. */
export const ResourcesConfig = z
  .strictObject({
    memoryMb: z
      .number()
      .int()
      .min(64)
      .optional()
      .describe('Most memory. Default: half of the memory of the machine, but at least 2048.'),
    processes: z.number().int().min(16).max(1_000_000).default(2048).describe('Most processes and threads.'),
    cpus: z
      .number()
      .positive()
      .optional()
      .describe('Most processors, such as 1.5. Default: all of them, at a lower priority than the engine.'),
    openFiles: z.number().int().min(64).default(65_536).describe('Most open files of each process.'),
    tmpMb: z
      .number()
      .int()
      .positive()
      .optional()
      .describe(
        'Size of the private /tmp, and of the private home folder, in the sandbox; they are in memory. Default: 2048, but at most a quarter of memoryMb.',
      ),
  })
  .prefault({})
  .describe(
    'Limits of an attempt, a check or a set-up command, each with all processes that it starts. Memory, processes and processors are limited where a cgroup can be written: see mh doctor.',
  );
