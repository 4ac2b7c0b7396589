import { z } from 'zod';
import { AppError } from '../errors.ts';
import { thisMachine } from './machine.ts';
import { type Probe, probeProc } from './proc-stat.ts';
import { probePs } from './ps.ts';

const SHORTEST_TOKEN = 16;

/** Identifies one process permanently: its pid alone is reused sooner or later. */
export const ProcessIdentity = z.object({
  boot: z.string(),
  pidNamespace: z.string(),
  pid: z.int().positive(),
  startTime: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** `gone` needs positive evidence; otherwise it is `unknown`. */
export type Liveness = 'alive' | 'gone' | 'unknown';

/** Whether exactly this process is running; a zombie is not. */
export function liveness(identity: ProcessIdentity): Liveness {
  const machine = thisMachine();
  if (machine === undefined) return 'unknown';
  if (machine.boot !== identity.boot) return 'gone';
  if (machine.pidNamespace !== identity.pidNamespace) return 'unknown';
  return livenessFrom(probe(identity.pid), identity.startTime);
}

/** The identity of a running process of this machine. */
export function identify(pid: number): ProcessIdentity | undefined {
  const machine = thisMachine();
  const found = probe(pid);
  if (machine === undefined || found.kind !== 'found' || found.entry.isEnded) return undefined;
  return { ...machine, pid, startTime: found.entry.startTime };
}

function probe(pid: number): Probe {
  return process.platform === 'linux' ? probeProc(pid) : probePs(pid);
}

/** The liveness of the process that started at that time, from a probe of its pid. */
export function livenessFrom(found: Probe, startTime: string): Liveness {
  if (found.kind === 'none') return 'gone';
  if (found.kind === 'failed') return 'unknown';
  return found.entry.isEnded || found.entry.startTime !== startTime ? 'gone' : 'alive';
}

/** Refuses a token that other processes could have by accident, because it selects the processes to kill. */
export function requireToken(token: string): void {
  if (token.length >= SHORTEST_TOKEN) return;
  throw new AppError('INTERNAL', `A token of ${token.length} characters is too short to identify processes`);
}
