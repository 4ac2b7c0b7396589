import type { Caller } from '../../access/caller.ts';
import { evolve } from '../../core/run/evolve.ts';
import { asRunState } from '../../core/view/shown-state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { RunEvent } from '../../schema/event.ts';
import type { Update } from './apply-update.ts';
import type { ChangeSignal } from './change-signal.ts';

/** `changed` is notified when an engine starts or ends, or an event of the run arrives. */
export type Following = { caller: Caller; publish(update: Update): void; changed: ChangeSignal };

/** Publishes the state of a run after each of its events, folded here as in the engine, until the signal aborts. */
export async function followOpenRun(following: Following, run: string, signal: AbortSignal): Promise<void> {
  const { caller, publish, changed } = following;
  await untilAborted(following, signal, async () => {
    const { state } = await caller.call('run-state', { run }, { signal });
    let current = asRunState(state);
    publish({ kind: 'state', state: current });
    await repeatOnChange(changed, signal, async () => {
      for await (const { type, data, at, origin } of caller.stream(
        'watch-run',
        { run, after: current.version },
        { signal },
      )) {
        current = evolve(current, { event: RunEvent.parse({ type, data }), at, origin });
        publish({ kind: 'state', state: current });
        changed.notify();
      }
    });
  });
}

/** Repeats `follow` after each change, or immediately when the engine has just ended. */
export async function repeatOnChange(
  changed: ChangeSignal,
  signal: AbortSignal,
  follow: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const change = changed.next(signal);
    try {
      await follow();
      await change;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ENGINE_GONE') throw error;
    }
  }
}

/** Publishes a failure instead of letting it end the whole view. */
export async function untilAborted(
  { publish }: Pick<Following, 'publish'>,
  signal: AbortSignal,
  follow: () => Promise<void>,
): Promise<void> {
  try {
    await follow();
  } catch (error) {
    if (!signal.aborted) publish({ kind: 'message', text: messageOf(error), isError: true });
  }
}
