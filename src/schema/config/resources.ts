import { z } from 'zod';

const MEGABYTE = 1024 * 1024;
const LEAST_DEFAULT_MEMORY_MB = 2048;
const DEFAULT_PRIVATE_MB = 2048;

/** What an attempt, a check or a set-up command may use of the machine, each with all processes that it starts. */
export const ResourcesConfig = z
  .strictObject({
    memoryMb: z
      .number()
      .int()
      .min(64)
      .optional()
      .describe('Maximum memory in MB. Default: half of the memory of the machine, but at least 2048.'),
    processes: z
      .number()
      .int()
      .min(16)
      .max(1_000_000)
      .default(2048)
      .describe('Maximum number of processes and threads.'),
    cpus: z
      .number()
      .positive()
      .optional()
      .describe(
        'Maximum number of processors, such as 1.5. Default: all of them, at a lower priority than the engine.',
      ),
    openFiles: z.number().int().min(64).default(65_536).describe('Maximum number of open files of each process.'),
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
    'Limits of an attempt, a check or a set-up command, each with all processes that it starts. Memory, processes and processors are limited where a cgroup can be written: see manyhands doctor.',
  );

/** Limits as the settings have them, with the default of each that they do not name, on a machine of this size. */
export function completeResources(
  resources: z.infer<typeof ResourcesConfig>,
  machine: { memoryBytes: number; processors: number },
): { [Key in keyof z.infer<typeof ResourcesConfig>]-?: number } {
  const half = Math.floor(machine.memoryBytes / 2 / MEGABYTE);
  const memoryMb = resources.memoryMb ?? Math.max(LEAST_DEFAULT_MEMORY_MB, half);
  const tmpMb = resources.tmpMb ?? Math.min(DEFAULT_PRIVATE_MB, Math.floor(memoryMb / 4));
  return { ...resources, memoryMb, tmpMb, cpus: resources.cpus ?? machine.processors };
}
