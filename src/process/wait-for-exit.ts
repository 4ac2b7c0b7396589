import { join } from 'node:path';
import { realWorld } from '../world.ts';
import { openFifo, waitForRelease } from './files/fifo.ts';
import { liveness, type ProcessIdentity } from './identity.ts';
import { FILES } from './shim.ts';

const LONGEST_PAUSE_MS = 250;

/**
 * Resolves when the shim has ended, our own child or not. The FIFO that only the shim holds open signals its end; it is
 * opened before the first check, because a FIFO whose holder ended earlier signals nothing. If the agent removed the
 * FIFO, the process is polled.
 */
export async function waitForExit(folder: string, identity: ProcessIdentity, signal: AbortSignal): Promise<void> {
  const isReleased = await waitForFifo(folder, identity, signal);
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = liveness(identity);
    if (state === 'gone' || (state === 'unknown' && isReleased)) return;
    await realWorld.sleep(pauseMs, signal);
  }
}

async function waitForFifo(folder: string, identity: ProcessIdentity, signal: AbortSignal): Promise<boolean> {
  const fifo = openFifo(join(folder, FILES.alive));
  if (fifo === undefined) return false;
  const hasExited = liveness(identity) === 'gone';
  await waitForRelease(hasExited ? { ...fifo, isHeld: false } : fifo, signal);
  return true;
}

const POLL_MS = 10;

/** Resolves when a process that has no FIFO, and that this process cannot wait for, has ended. */
export async function processGone(identity: ProcessIdentity): Promise<void> {
  while (liveness(identity) !== 'gone') await realWorld.sleep(POLL_MS);
}
