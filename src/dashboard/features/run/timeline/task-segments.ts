import type { AttemptState, RunState, TaskState } from '../../../../core/run/state.ts';
import type { FailureKind } from '../../../../schema/failure.ts';
import { attemptDisplayState, type DisplayState } from '../../../ui/state/display-state.ts';
import { waitingReason } from '../waiting-reason.ts';
import type { IdlePeriod, Mark, TimelineHistory } from './timeline-history.ts';

/** A period of a task; `to` is null while it lasts. A `wait` is drawn hatched. */
export type Segment = {
  kind: 'attempt' | 'wait' | 'checks' | 'held';
  displayState: DisplayState;
  from: number;
  to: number | null;
  /** The attempt, if the segment is one. */
  attempt: AttemptState | null;
  description: string;
};

const LIMITS: ReadonlySet<FailureKind> = new Set(['rate-limit', 'usage-limit', 'overloaded']);

/** Shorter waits are scheduling overhead of the engine. */
const MIN_WAIT_MS = 500;

/** The segments of a task since it was ready: waits, attempts, checks and landing. */
export function segmentsOf(state: RunState, task: TaskState, history: TimelineHistory): Segment[] {
  const segments: Segment[] = [];
  let before = readyAt(state, task, history);
  task.attempts.forEach((attempt, index) => {
    if (before !== null && attempt.startedAt - before >= MIN_WAIT_MS) {
      segments.push(between(before, attempt.startedAt, task.attempts[index - 1]));
    }
    segments.push(attemptSegment(task, attempt, index));
    before = attempt.ended?.at ?? null;
  });
  const waits = history.waits.get(task.spec.key) ?? [];
  if (before !== null) segments.push(...after(state, task, { from: before, waits }));
  return [...segments, ...waits.filter((each) => isShown(each, task)).map(heldSegment)];
}

/** A question that ended with its attempt is part of the wait that followed. */
function isShown({ from, to }: IdlePeriod, { phase }: TaskState): boolean {
  return to === null ? phase.status === 'running' : to - from >= MIN_WAIT_MS;
}

function heldSegment({ from, to, description }: IdlePeriod): Segment {
  return { kind: 'held', displayState: 'waiting', from, to, attempt: null, description };
}

/** The marks of a task: warnings, gates, user actions and landing. */
export function marksOf(task: TaskState, { marks }: TimelineHistory): Mark[] {
  const { phase } = task;
  const landed: Mark[] =
    phase.status === 'done' && phase.commit !== null
      ? [{ at: phase.at, displayState: 'done', shape: 'landed', description: `landed at ${phase.commit.slice(0, 8)}` }]
      : [];
  const warnings = task.attempts.flatMap((attempt) =>
    attempt.warnings.map(
      ({ at, message }): Mark => ({ at, displayState: 'waiting', shape: 'warning', description: message }),
    ),
  );
  return [...warnings, ...(marks.get(task.spec.key) ?? []), ...landed];
}

/** When a task was ready: it was added and all its needs were done. Null while a need is not done. */
function readyAt(state: RunState, task: TaskState, { added }: TimelineHistory): number | null {
  let at = added.get(task.spec.key) ?? state.startedAt;
  for (const need of task.spec.needs) {
    const phase = state.tasks[need]?.phase;
    if (phase?.status !== 'done') return null;
    at = Math.max(at, phase.at);
  }
  return at;
}

function attemptSegment(task: TaskState, attempt: AttemptState, index: number): Segment {
  const { ended, startedAt } = attempt;
  const description =
    ended === null
      ? 'running'
      : ended.rejected !== undefined
        ? `rejected: ${ended.rejected}`
        : ended.failure === null
          ? ended.summary
          : `${ended.failure.kind}: ${ended.failure.message}`;
  return {
    kind: 'attempt',
    displayState: attemptDisplayState(attempt, index === task.attempts.length - 1 ? task.phase.status : null),
    from: startedAt,
    to: ended?.at ?? null,
    attempt,
    description,
  };
}

function between(from: number, to: number, last: AttemptState | undefined): Segment {
  if (last === undefined) return wait(from, to, 'waited to start');
  const failure = last.ended?.failure ?? null;
  if (failure === null)
    return { kind: 'checks', displayState: 'checking', from, to, attempt: null, description: 'checks and review' };
  if (LIMITS.has(failure.kind))
    return { ...wait(from, to, `waited for the limit to reset: ${failure.message}`), displayState: 'waiting' };
  return wait(from, to, `waited after a failure: ${failure.kind}`);
}

type Since = { from: number; waits: readonly IdlePeriod[] };

function after(state: RunState, task: TaskState, { from, waits }: Since): Segment[] {
  const { phase } = task;
  switch (phase.status) {
    case 'ready':
      return [wait(from, null, waitingReason(state, task, from) ?? '')];
    case 'analyzing':
      return [wait(from, null, `${phase.analysis} analyzes the failure`)];
    case 'landing':
    case 'verifying':
    case 'conflicted':
      return [{ kind: 'checks', displayState: 'checking', from, to: null, attempt: null, description: phase.status }];
    case 'held':
    case 'blocked': {
      const description = phase.status === 'held' ? phase.hold.reason : phase.reason;
      const since = waits.findLast(({ to }) => to === null)?.from ?? from;
      return [...checks(from, since), heldSegment({ from: since, to: null, description })];
    }
    case 'done':
      return checks(from, phase.at);
    case 'waiting':
    case 'running':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return [];
  }
}

function checks(from: number, to: number): Segment[] {
  if (to <= from) return [];
  return [{ kind: 'checks', displayState: 'checking', from, to, attempt: null, description: 'checks and landing' }];
}

function wait(from: number, to: number | null, description: string): Segment {
  return { kind: 'wait', displayState: 'queued', from, to, attempt: null, description };
}
