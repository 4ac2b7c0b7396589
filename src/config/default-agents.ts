import { availableParallelism, totalmem } from 'node:os';
import { MAX_DEFAULT_AGENTS } from '../schema/config/limits.ts';

const AGENTS_PER_CORE = 4;
const MEMORY_PER_AGENT = 1024 ** 3;
const MIN_AGENTS = 2;

/** How many attempts run at once where the settings do not say: more than the machine can serve only wait for each other. */
export function defaultAgents(machine = { cores: availableParallelism(), memoryBytes: totalmem() }): number {
  const byCores = machine.cores * AGENTS_PER_CORE;
  const byMemory = Math.floor(machine.memoryBytes / MEMORY_PER_AGENT);
  return Math.max(MIN_AGENTS, Math.min(MAX_DEFAULT_AGENTS, byCores, byMemory));
}
