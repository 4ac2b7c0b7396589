import type { Caller } from '../../access/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Platform } from '../platform.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { News } from './subscribe.ts';

export type FollowingRuns = {
  platform: Platform;
  caller: Caller;
  /** Only the project of this folder. */
  dir: string | undefined;
  tell(news: News): void;
  /** Rung when somebody wants it looked whether an engine has come. */
  look: ChangeSignal;
};

/** A socket is there a moment before anybody listens on it: after a sign it is looked so often, so long apart. */
const LOOKS = 4;
const LOOK_AGAIN_MS = 100;

/** Tells of all runs for as long as the signal lets it: live while there is an engine, else what is on record until one comes. */
export async function followRuns(following: FollowingRuns, signal: AbortSignal): Promise<void> {
  const { world } = following.platform;
  let stopWatching: (() => void) | undefined;
  let looks = 0;
  try {
    while (!signal.aborted) {
      const asked = following.look.next(signal);
      const how = await tellRuns(following, signal);
      if (how === 'engine-gone') {
        stopWatching?.();
        stopWatching = undefined;
      } else if (stopWatching === undefined) {
        // One may come between the look and the watch: it is looked again after this.
        stopWatching = await watchForEngine(following);
      } else if (looks > 1) {
        looks -= 1;
        // An abort ends the loop.
        await world.sleep(LOOK_AGAIN_MS, signal).catch(() => {});
      } else {
        await asked;
        looks = LOOKS;
      }
    }
  } finally {
    stopWatching?.();
  }
}

/** One look: it lasts as long as the engine that was found, if one was. */
async function tellRuns(
  { caller, dir, tell }: FollowingRuns,
  signal: AbortSignal,
): Promise<'no-engine' | 'engine-gone'> {
  const first = new Map<string, RunOverview>();
  let isReady = false;
  let engine: 'running' | 'none' = 'none';
  try {
    for await (const item of caller.stream('watch-runs', dir === undefined ? {} : { dir }, signal)) {
      if ('ready' in item) {
        isReady = true;
        engine = caller.engine() === 'none' ? 'none' : 'running';
        tell({ kind: 'runs', runs: first, engine });
      } else if ('removed' in item) tell({ kind: 'removed', run: item.removed });
      else if (isReady) tell({ kind: 'run', run: item.run });
      else first.set(item.run.run, item.run);
    }
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!isGone && !signal.aborted) throw error;
    return 'engine-gone';
  }
  return engine === 'none' ? 'no-engine' : 'engine-gone';
}

async function watchForEngine({ platform, look, tell }: FollowingRuns): Promise<() => void> {
  try {
    return await platform.watchForEngine(() => look.ring());
  } catch (error) {
    const text = `Ctrl-L looks for an engine; it cannot be watched for: ${messageOf(error)}`;
    tell({ kind: 'said', text, isTrouble: true });
    return () => {};
  }
}
