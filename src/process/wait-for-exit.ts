import { join } from 'node:path';
import { realWorld } from '../world.ts';
import { openFifo, untilReleased } from './fifo.ts';
import { liveness, type ProcessIdentity } from './identity.ts';
import { FILES } from './shim.ts';

const LONGEST_PAUSE_MS = 250;

/**
 * Resolves when the shim is gone, our own child or not. The FIFO that it alone holds tells the moment; it is opened
 * before the first look, because a FIFO whose holder died earlier tells nothing. Where the agent removed it, only
 * looking again is left.
 */
export async function waitForExit(folder: string, identity: ProcessIdentity, signal: AbortSignal): Promise<void> {
  const isReleased = await untilLetGo(folder, identity, signal);
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = liveness(identity);
    if (state === 'gone' || (state === 'unknown' && isReleased)) return;
    await realWorld.sleep(pauseMs, signal);
  }
}

async function untilLetGo(folder: string, identity: ProcessIdentity, signal: AbortSignal): Promise<boolean> {
  const fifo = openFifo(join(folder, FILES.alive));
  if (fifo === undefined) return false;
  const isGone = liveness(identity) === 'gone';
  await untilReleased(isGone ? { ...fifo, isHeld: false } : fifo, signal);
  return true;
}
