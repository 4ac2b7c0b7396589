import type { Caller } from '../../access/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Platform } from '../platform.ts';
import type { Update } from './apply-update.ts';
import type { ChangeSignal } from './change-signal.ts';
import { type Following, followOpenRun } from './follow-open-run.ts';
import { followTask } from './follow-task.ts';
import type { Page } from './top-state.ts';

/** Follows what the current page shows, and nothing else. */
interface FollowedPages {
  follow(page: Page): void;
  /** Resolves when nothing is followed any more, after the signal has aborted. */
  ended(): Promise<void>;
}

type Followed = { name: string; stop: AbortController };

export type FollowingRuns = {
  platform: Platform;
  caller: Caller;
  /** Only the project of this folder, if any. */
  dir: string | undefined;
  publish(update: Update): void;
  /** Notified when an engine may have started. */
  checkEngine: ChangeSignal;
};

/** A socket exists shortly before the engine listens on it, so after a notification the check is repeated. */
const CHECKS = 4;
const CHECK_INTERVAL_MS = 100;

/** Publishes all runs until the signal aborts: live while an engine runs, else the recorded state until one starts. */
export async function followRuns(following: FollowingRuns, signal: AbortSignal): Promise<void> {
  const { world } = following.platform;
  let stopWatching: (() => void) | undefined;
  let checksLeft = 0;
  try {
    while (!signal.aborted) {
      const notified = following.checkEngine.next(signal);
      const outcome = await publishRuns(following, signal);
      if (outcome === 'engine-gone') {
        stopWatching?.();
        stopWatching = undefined;
      } else if (stopWatching === undefined) {
        // An engine may start between the check and the watch, so the loop checks again.
        stopWatching = await watchForEngine(following);
      } else if (checksLeft > 1) {
        checksLeft -= 1;
        // An abort ends the loop.
        await world.sleep(CHECK_INTERVAL_MS, signal).catch(() => {});
      } else {
        await notified;
        checksLeft = CHECKS;
      }
    }
  } finally {
    stopWatching?.();
  }
}

/** So many runs fill a screen. */
const FIRST_SHOWN = 50;

/** One check: if an engine is found, it lasts until that engine ends. */
async function publishRuns(
  { caller, dir, publish }: FollowingRuns,
  signal: AbortSignal,
): Promise<'no-engine' | 'engine-gone'> {
  const first = new Map<string, RunOverview>();
  let isReady = false;
  let shown = FIRST_SHOWN / 2;
  let engine: 'running' | 'none' = 'none';
  try {
    for await (const item of caller.stream('watch-runs', dir === undefined ? {} : { dir }, { signal })) {
      if ('ready' in item) {
        isReady = true;
        engine = caller.engine() === 'none' ? 'none' : 'running';
        publish({ kind: 'runs', runs: first, engine });
      } else if ('removed' in item) publish({ kind: 'removed', run: item.removed });
      else if (isReady) publish({ kind: 'run', run: item.run });
      else {
        first.set(item.run.run, item.run);
        // A long list is shown as it arrives, in ever larger pieces: on a busy machine its end may take a while.
        if (first.size >= shown * 2) {
          shown = first.size;
          publish({ kind: 'runs', runs: new Map(first), engine: caller.engine() === 'none' ? 'none' : 'running' });
        }
      }
    }
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!isGone && !signal.aborted) throw error;
    return 'engine-gone';
  }
  return engine === 'none' ? 'no-engine' : 'engine-gone';
}

async function watchForEngine({ platform, checkEngine, publish }: FollowingRuns): Promise<() => void> {
  try {
    return await platform.watchForEngine(() => checkEngine.notify());
  } catch (error) {
    const text = `A new engine is not detected automatically (${messageOf(error)}); press Ctrl-L to check.`;
    publish({ kind: 'message', text, isError: true });
    return () => {};
  }
}

export function followPages(following: Following, signal: AbortSignal): FollowedPages {
  const ended = new Set<Promise<void>>();
  const current: { run?: Followed; task?: Followed } = {};

  function replace(
    what: 'run' | 'task',
    name: string | undefined,
    begin: (signal: AbortSignal) => Promise<void>,
  ): void {
    if (current[what]?.name === name) return;
    current[what]?.stop.abort();
    delete current[what];
    if (name === undefined) return;
    const stop = new AbortController();
    const promise = begin(AbortSignal.any([signal, stop.signal]));
    current[what] = { name, stop };
    ended.add(promise);
    void promise.then(() => ended.delete(promise));
  }

  return {
    follow: (page) => {
      const run = page.kind === 'runs' ? undefined : page.run;
      replace('run', run, (until) => followOpenRun(during(following, until), run ?? '', until));
      const task = page.kind === 'task' ? page : undefined;
      replace('task', task && `${task.run} ${task.task} ${task.attempt}`, async (until) => {
        if (task !== undefined) await followTask(during(following, until), task, until);
      });
    },
    ended: async () => {
      await Promise.all(ended);
    },
  };
}

/** Drops updates of what is no longer followed. */
function during(following: Following, signal: AbortSignal): Following {
  return {
    ...following,
    publish: (update) => {
      if (!signal.aborted) following.publish(update);
    },
  };
}
