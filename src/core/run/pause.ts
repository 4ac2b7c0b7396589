import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import { requireLive } from './require.ts';
import type { RunState } from './state.ts';

/** Environment failures in a row after which a track is paused. */
const MAX_ENVIRONMENT_FAILURES = 2;

/** Starts nothing more in a track, or in the whole run; running attempts continue to their end. */
export function pauseRun(state: RunState, what: { track?: string; reason: string }): RunEvent[] {
  requireLive(state);
  requireTrack(state, what.track);
  if (state.paused[what.track ?? ''] !== undefined) return [];
  return [{ type: 'run.paused', data: what }];
}

/** Resumes a track, or everything that is paused. */
export function unpauseRun(state: RunState, what: { track?: string }): RunEvent[] {
  requireLive(state);
  requireTrack(state, what.track);
  const isPaused = what.track === undefined ? Object.keys(state.paused).length > 0 : what.track in state.paused;
  return isPaused ? [{ type: 'run.unpaused', data: what }] : [];
}

/** Pauses a track after consecutive failures of its environment, which would fail further attempts too. */
export function pauseOnFailures(state: RunState, track: string | undefined, failure: Failure): RunEvent[] {
  if (track === undefined || failure.kind !== 'environment' || state.paused[track] !== undefined) return [];
  if ((state.environmentFailures[track] ?? 0) + 1 < MAX_ENVIRONMENT_FAILURES) return [];
  const reason = `the environment failed ${MAX_ENVIRONMENT_FAILURES} times in a row: ${failure.message}`;
  return [{ type: 'run.paused', data: { track, reason } }];
}

function requireTrack(state: RunState, track: string | undefined): void {
  if (track === undefined) return;
  const tracks = new Set(state.order.flatMap((key) => state.tasks[key]?.spec.track ?? []));
  for (const name of Object.keys(state.start.config.tracks)) tracks.add(name);
  if (tracks.has(track)) return;
  const known = tracks.size === 0 ? 'it has no tracks' : `its tracks: ${[...tracks].join(', ')}`;
  throw new AppError('TRACK_UNKNOWN', `Run ${state.start.run} has no track "${track}"; ${known}`, { track });
}
