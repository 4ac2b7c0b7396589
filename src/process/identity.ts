import { z } from 'zod';
import { thisMachine } from './machine.ts';
import { type Probe, probeProc } from './proc-stat.ts';
import { probePs } from './ps.ts';

/** Names one process for ever: its number alone is given to another one sooner or later. */
export const ProcessIdentity = z.object({
  boot: z.string(),
  pidNamespace: z.string(),
  pid: z.int().positive(),
  startTime: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** `gone` needs positive evidence; whoever cannot be asked about is `unknown`. */
export type Liveness = 'alive' | 'gone' | 'unknown';

/** Tells whether exactly this process still runs; a zombie does not. */
export function liveness(identity: ProcessIdentity): Liveness {
  const machine = thisMachine();
  if (machine === undefined) return 'unknown';
  if (machine.boot !== identity.boot) return 'gone';
  if (machine.pidNamespace !== identity.pidNamespace) return 'unknown';
  return judge(probe(identity.pid), identity.startTime);
}

/** The identity of a process of this machine that runs now. */
export function identify(pid: number): ProcessIdentity | undefined {
  const machine = thisMachine();
  const found = probe(pid);
  if (machine === undefined || found.kind !== 'found' || found.entry.isEnded) return undefined;
  return { ...machine, pid, startTime: found.entry.startTime };
}

function probe(pid: number): Probe {
  return process.platform === 'linux' ? probeProc(pid) : probePs(pid);
}

/** What a look at the process number says about the process that started at that time. */
export function judge(found: Probe, startTime: string): Liveness {
  if (found.kind === 'none') return 'gone';
  if (found.kind === 'failed') return 'unknown';
  return found.entry.isEnded || found.entry.startTime !== startTime ? 'gone' : 'alive';
}
