import type { TaskKey } from '../../schema/ids.ts';
import { BoardColumn, type BoardRun, type BoardTask } from '../../schema/overview.ts';
import { plannedOrder } from '../run/edit-plan.ts';
import { isLanded, lastAttempt, type RunState, type TaskState } from '../run/state.ts';
import { inOrder } from '../schedule/queue.ts';
import { type Attention, attention } from './attention.ts';
import { labelOf, taskLabel } from './task-label.ts';

/** The tasks of a run as the board shows them, at most `limit` in each column; with an agent only its own. */
export function boardRun(state: RunState, { agent, limit }: { agent?: string | undefined; limit: number }): BoardRun {
  const waiting = new Map(attention(state).map((item) => [item.task, item]));
  const columns = new Map<BoardColumn, BoardTask[]>(BoardColumn.options.map((column) => [column, []]));
  const agents = new Set<string>();
  for (const key of inTurn(state)) {
    const task = state.tasks[key];
    if (task === undefined || isWithdrawn(task)) continue;
    const shown = boardTask(state, task, waiting.get(key));
    if (shown.agent !== null) agents.add(shown.agent);
    if (agent === undefined || shown.agent === agent) columns.get(columnOf(state, shown))?.push(shown);
  }
  const filled = [...columns].filter(([, tasks]) => tasks.length > 0);
  return {
    run: state.start.run,
    version: state.version,
    agents: [...agents].sort(),
    counts: Object.fromEntries(filled.map(([column, tasks]) => [column, tasks.length])),
    tasks: Object.fromEntries(
      filled.map(([column, tasks]) => [
        column,
        (column === 'queued' ? tasks : tasks.sort((a, b) => b.at - a.at)).slice(0, limit),
      ]),
    ),
  };
}

/** Every task: those that can start in the order in which they would, then the others as they are planned. */
function* inTurn(state: RunState): Generator<TaskKey> {
  const ready = new Set(inOrder(state.ready));
  yield* ready;
  for (const key of plannedOrder(state)) if (!ready.has(key)) yield key;
}

/** A task that its recipe or a person removed before it started is no work of the run any more. */
function isWithdrawn({ phase, attempts }: TaskState): boolean {
  return phase.status === 'cancelled' && attempts.length === 0;
}

/** A task that is done is landed when the result of its run is. */
function columnOf(state: RunState, { status, what }: BoardTask): BoardColumn {
  if (what !== null) return 'needs you';
  switch (status) {
    case 'waiting':
    case 'ready':
      return 'queued';
    case 'running':
    case 'analyzing':
    case 'landing':
    case 'verifying':
    case 'conflicted':
      return 'running';
    case 'held':
    case 'blocked':
      return 'needs you';
    case 'done':
      return isLanded(state) ? 'landed' : 'done';
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return 'failed';
  }
}

function boardTask(state: RunState, task: TaskState, waiting: Attention | undefined): BoardTask {
  const { spec, phase, attempts } = task;
  const last = lastAttempt(task);
  return {
    task: spec.key,
    label: taskLabel(spec),
    title: spec.title,
    role: spec.role,
    track: spec.track ?? null,
    status: phase.status,
    agent: last?.agent ?? spec.agent ?? null,
    attempts: attempts.length,
    priority: spec.priority,
    reason: waiting?.reason ?? reasonOf(state, task),
    what: waiting?.what ?? null,
    at: 'at' in phase ? phase.at : (last?.ended?.at ?? last?.startedAt ?? state.startedAt),
  };
}

function reasonOf(state: RunState, { spec, phase }: TaskState): string | null {
  switch (phase.status) {
    case 'waiting': {
      const missing = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done');
      return missing.length === 0 ? null : `Waits for ${missing.map((need) => nameOf(state, need)).join(', ')}`;
    }
    case 'failed':
    case 'skipped':
    case 'cancelled':
    case 'blocked':
      return phase.reason;
    default:
      return null;
  }
}

/** Its id in the work file, else its title: keys say nothing. */
function nameOf(state: RunState, key: TaskKey): string {
  const spec = state.tasks[key]?.spec;
  return spec === undefined || spec.name !== undefined ? labelOf(state, key) : spec.title;
}
