import type { Caller } from '../../access/caller.ts';
import { evolve } from '../../core/run/evolve.ts';
import type { RunState } from '../../core/run/state.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import type { RunDocument } from '../../schema/document.ts';
import { RunEvent } from '../../schema/event.ts';

const MOVING: ReadonlySet<string> = new Set(['running', 'cancelling']);

/** Waits, without displaying progress, until a run is settled or the signal aborts; when its engine ends, this process resumes it. */
export async function settleRun(
  caller: Caller,
  target: { dir: string; run: string },
  signal: AbortSignal,
): Promise<RunDocument> {
  let state: RunState | undefined;
  for (;;) {
    for await (state of states(caller, { run: target.run, state }, signal)) {
      if (!isSettled(state)) continue;
      const document = await caller.call('show-run', target);
      if (!MOVING.has(document.status)) return document;
    }
    const document = await caller.call('show-run', target);
    if (signal.aborted || !MOVING.has(document.status)) return document;
    await caller.call('resume-runs', target);
  }
}

type Watched = { run: string; state: RunState | undefined };

async function* states(caller: Caller, { run, state: known }: Watched, signal: AbortSignal): AsyncGenerator<RunState> {
  let state = known;
  try {
    for await (const { type, data, at, origin } of caller.stream(
      'watch-run',
      { run, after: state?.version ?? 0 },
      { signal },
    )) {
      state = evolve(state, { event: RunEvent.parse({ type, data }), at, origin });
      yield state;
    }
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!signal.aborted && !isGone) throw error;
  }
}
