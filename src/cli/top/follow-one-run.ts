import type { Caller } from '../../access/caller.ts';
import { evolve } from '../../core/run/evolve.ts';
import { asRunState } from '../../core/view/shown-state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { RunEvent } from '../../schema/event.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { News } from './subscribe.ts';

/** `changed` is rung whenever an engine came or went, or something happened in the run. */
export type Following = { caller: Caller; tell(news: News): void; changed: ChangeSignal };

/** Tells how a run stands after each of its events, folded here as in the engine, until the signal aborts. */
export async function followRun(following: Following, run: string, signal: AbortSignal): Promise<void> {
  const { caller, tell, changed } = following;
  await untilAborted(following, signal, async () => {
    const { state } = await caller.call('run-state', { run }, signal);
    let current = asRunState(state);
    tell({ kind: 'state', state: current });
    await again(changed, signal, async () => {
      for await (const { type, data, at, origin } of caller.stream(
        'watch-run',
        { run, after: current.version },
        signal,
      )) {
        current = evolve(current, { event: RunEvent.parse({ type, data }), at, origin });
        tell({ kind: 'state', state: current });
        changed.ring();
      }
    });
  });
}

/** Does it again whenever something changed; where the engine has just gone, at once. */
export async function again(changed: ChangeSignal, signal: AbortSignal, follow: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    const news = changed.next(signal);
    try {
      await follow();
      await news;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ENGINE_GONE') throw error;
    }
  }
}

/** Tells of a failure instead of ending the whole view with it. */
export async function untilAborted(
  { tell }: Pick<Following, 'tell'>,
  signal: AbortSignal,
  follow: () => Promise<void>,
): Promise<void> {
  try {
    await follow();
  } catch (error) {
    if (!signal.aborted) tell({ kind: 'said', text: messageOf(error), isTrouble: true });
  }
}
