import type { Filing } from '../../schema/collection.ts';
import { type LiveAttempt, MOST_LIVE, type RunOverview, type WaitingItem } from '../../schema/overview.ts';
import { openWarnings } from '../attempt/fold-attempt.ts';
import { isLanded, type RunState, type TaskState } from '../run/state.ts';
import { inOrder } from '../schedule/queue.ts';
import { type Attention, attention } from './attention.ts';
import { runDocument, runSummary } from './document.ts';
import { firstFailure } from './first-failure.ts';
import { taskLabel } from './task-label.ts';

/** The last event of a run that a person should be notified of, and since when each task, sub-run or, unnamed, the run waits. */
export type RunNotification = { version: number; position: number; since: Record<string, number> };

/** The part of a list entry that depends only on the events of a run. */
export type RunCard = Omit<
  RunOverview,
  keyof Filing | 'carried' | 'live' | 'liveCount' | 'activity' | 'waitsFor' | 'unread'
> & {
  notification: Pick<RunNotification, 'version' | 'position'>;
};

/** What the engine does for a run, and what the run waits for. */
export type RunActivity = Pick<RunOverview, 'activity' | 'waitsFor'>;

export const NO_ACTIVITY: RunActivity = { activity: [], waitsFor: null };

/** The last activity of a running attempt. */
export type AttemptActivity = { at: number; activity: string | null; costUsd: number | null; turns: number };

/** The version of the card format; stored cards of another version are not used. */
export const CARD_CODEC = 'card-5';

/** The events after which a run is unread: it ended, or something began to wait for a person. */
const NOTIFYING_EVENTS: ReadonlySet<string> = new Set([
  'run.ended',
  'run.held',
  'task.held',
  'task.blocked',
  'task.asked',
]);

/** The events that define since when something waits. */
export const WAITING_EVENTS: readonly string[] = [...NOTIFYING_EVENTS, 'run.paused', 'subrun.changed'];

/** Updates the notification with an event of the run; changes it in place. */
export function foldNotification(
  notification: RunNotification,
  event: { version: number; position: number; at: number; type: string; data: unknown },
): void {
  if (!WAITING_EVENTS.includes(event.type)) return;
  notification.since[subjectOf(event)] = event.at;
  if (!NOTIFYING_EVENTS.has(event.type)) return;
  notification.version = event.version;
  notification.position = event.position;
}

/** The task, the sub-run, or else the run itself that an event is about. */
function subjectOf({ type, data }: { type: string; data: unknown }): string {
  if (typeof data !== 'object' || data === null) return '';
  if (type === 'subrun.changed' && 'run' in data) return String(data.run);
  return 'task' in data ? String(data.task) : '';
}

export function noNotification(): RunNotification {
  return { version: 0, position: 0, since: {} };
}

/** The card of a run, from its own events. */
export function runCard(state: RunState, notification: RunNotification): RunCard {
  const { collection: _, hidden: __, flag: ___, carried: ____, waitsFor: _____, ...summary } = runSummary(state);
  const { reason, branch, landed } = runDocument({ ...state, order: [] });
  const { start } = state;
  return {
    ...summary,
    version: state.version,
    updatedAt: new Date(state.updatedAt).toISOString(),
    projectId: start.project.id,
    reason,
    branch,
    base: start.base.branch,
    landed,
    resultLanded: isLanded(state),
    budget: start.config.budget.run ?? null,
    priority: queuedPriority(state),
    counts: Object.fromEntries(Object.entries(state.counts).filter(([, count]) => count > 0)),
    attention: waiting(state, notification),
    failure: firstFailure(state),
    notification: { version: notification.version, position: notification.position },
  };
}

/** By the next of the ready tasks, which decides when the run gets its turn. */
function queuedPriority({ ready, tasks }: RunState): number {
  const [first] = inOrder(ready);
  return first === undefined ? 0 : (tasks[first]?.spec.priority ?? 0);
}

/** The list entry of a run; `readingSince` is the position before which everything counts as read. */
export function overviewOf(
  { notification, ...card }: RunCard,
  marks: { filing: Filing; read: number | undefined; readingSince: number },
  live: { carried: boolean; attempts: LiveAttempt[]; count: number } & RunActivity,
): RunOverview {
  const read = marks.read ?? (notification.position <= marks.readingSince ? notification.version : 0);
  const isOver = card.endedAt !== null || card.attention.length > 0;
  return {
    ...card,
    ...marks.filing,
    carried: live.carried,
    live: live.attempts,
    liveCount: live.count,
    activity: live.activity,
    waitsFor: live.waitsFor,
    unread: isOver && notification.version > read,
  };
}

/** The running attempts, the oldest first, and how many there are in all. */
export function liveAttempts(
  state: RunState,
  lastActivityOf: (task: TaskState, attempt: number) => AttemptActivity,
): { attempts: LiveAttempt[]; count: number } {
  const running = Object.entries(state.running);
  const attempts = running.slice(0, MOST_LIVE).flatMap(([key, number]) => {
    const task = state.tasks[key];
    const attempt = task?.attempts[number - 1];
    if (task === undefined || attempt === undefined) return [];
    const { at, ...activity } = lastActivityOf(task, number);
    const { agent, account, tier, startedAt } = attempt;
    return [
      {
        task: key,
        label: taskLabel(task.spec),
        title: task.spec.title,
        role: task.spec.role,
        attempt: number,
        agent,
        account,
        tier,
        startedAt,
        lastSignAt: Math.max(at, startedAt),
        warnings: openWarnings(attempt).map(({ sign, message, at: warnedAt }) => ({ sign, message, at: warnedAt })),
        terminal: attempt.process?.terminal !== undefined,
        ...activity,
      },
    ];
  });
  return { attempts, count: running.length };
}

function waiting(state: RunState, { since }: RunNotification): WaitingItem[] {
  return attention(state).map((item) => ({
    ...item,
    taskTitle: item.task === null ? null : (state.tasks[item.task]?.spec.title ?? null),
    since: new Date(askedAt(state, item) ?? since[item.subRun ?? item.task ?? ''] ?? state.updatedAt).toISOString(),
  }));
}

function askedAt({ tasks }: RunState, { task, question }: Attention): number | undefined {
  if (question === undefined) return undefined;
  return tasks[task ?? '']?.questions?.find(({ id }) => id === question)?.at;
}
