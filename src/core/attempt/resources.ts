import { completeResources } from '../../schema/config/resources.ts';
import type { Config } from '../../schema/config.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';

const MEGABYTE = 1024 * 1024;
/** Of `limits.freeDiskMb`: with less free space the attempt that writes most is ended, so that the others can finish. */
const RESERVE_SHARE = 0.5;

/** What a program of a task may use, with everything that it starts. */
export type ResourceLimits = {
  memoryBytes: number;
  processes: number;
  /** Without it all processors, at a lower priority. */
  cpus?: number;
  openFiles: number;
  /** The size of each private folder of its sandbox. */
  privateBytes: number;
  /** The free disk space below which the program that writes most is ended. */
  diskReserveBytes: number;
};

/** A limit that a program reached, in words that follow its name. */
type Excess = { resource: 'memory' | 'processes' | 'disk' | 'files'; text: string };

const FAILURES: Readonly<Record<Excess['resource'], { kind: FailureKind; setting?: string }>> = {
  memory: { kind: 'out-of-memory', setting: 'resources.memoryMb' },
  processes: { kind: 'too-many-processes', setting: 'resources.processes' },
  disk: { kind: 'disk-full', setting: 'half of limits.freeDiskMb' },
  files: { kind: 'disk-full' },
};

/** The limits of a program under these settings, on a machine of this size. */
export function resourceLimitsFor(
  { resources, limits }: Pick<Config, 'resources' | 'limits'>,
  machine: { memoryBytes: number },
): ResourceLimits {
  const { memoryMb, tmpMb } = completeResources(resources, { ...machine, processors: Number.POSITIVE_INFINITY });
  return {
    memoryBytes: memoryMb * MEGABYTE,
    processes: resources.processes,
    ...(resources.cpus === undefined ? {} : { cpus: resources.cpus }),
    openFiles: resources.openFiles,
    privateBytes: tmpMb * MEGABYTE,
    diskReserveBytes: limits.freeDiskMb * RESERVE_SHARE * MEGABYTE,
  };
}

/** The failure of an attempt that reached a limit. */
export function excessFailure({ resource, text }: Excess): Failure {
  const { kind, setting } = FAILURES[resource];
  return { kind, message: `It ${text}${setting === undefined ? '' : ` (${setting})`}` };
}
