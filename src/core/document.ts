import type { RunDocument, RunSummary, RunWord, TaskDocument } from '../schema/document.ts';
import { attention, isStuck } from './attention.ts';
import { chargeOf } from './budget.ts';
import { lastAttempt, type RunState, type TaskState } from './state.ts';

/** How a run stands, in one word. */
export function runWord(state: RunState): RunWord {
  switch (state.status.kind) {
    case 'ended':
      return state.status.status;
    case 'cancelling':
      return 'cancelling';
    case 'held':
      return 'held';
    case 'running':
      if (!isStuck(state)) return 'running';
      return state.counts.held > 0 ? 'held' : 'blocked';
  }
}

/** Whether nothing more happens to the run without a person: it ended, or it waits for one. */
export function isSettled(state: RunState): boolean {
  return state.status.kind === 'ended' || isStuck(state);
}

/** A run as it is shown: everything a person or a script needs, derived from the state alone. */
export function runDocument(state: RunState): RunDocument {
  const { start } = state;
  const result = resultOf(state);
  return {
    run: start.run,
    version: state.version,
    title: start.title,
    recipe: start.recipe.name,
    project: start.project.folder ?? start.project.root,
    status: runWord(state),
    reason: reasonOf(state),
    branch: state.pushed === null ? null : `mh/${start.run}`,
    commit: state.tip.commit === start.base.commit ? null : state.tip.commit,
    base: start.base,
    landed: state.landed,
    cost: state.spent.costUsd,
    startedAt: new Date(state.startedAt).toISOString(),
    endedAt: state.status.kind === 'ended' ? new Date(state.status.at).toISOString() : null,
    ...(result === undefined ? {} : { result }),
    attention: attention(state),
    tasks: state.order.flatMap((key) => {
      const task = state.tasks[key];
      return task === undefined ? [] : [taskDocument(task)];
    }),
  };
}

export function runSummary(state: RunState): RunSummary {
  const { run, title, recipe, project, status, cost, startedAt, endedAt } = runDocument({ ...state, order: [] });
  return {
    run,
    title,
    recipe,
    project,
    status,
    cost,
    startedAt,
    endedAt,
    tasks: state.order.length,
    done: state.counts.done,
  };
}

function taskDocument(task: TaskState): TaskDocument {
  const cost = task.attempts.reduce(
    (sum, attempt) => sum + (attempt.ended === null ? 0 : chargeOf(attempt.usage, attempt.reservation).costUsd),
    0,
  );
  return {
    key: task.spec.key,
    title: task.spec.title,
    role: task.spec.role,
    status: task.phase.status,
    reason: 'reason' in task.phase ? task.phase.reason : 'hold' in task.phase ? task.phase.hold.reason : null,
    needs: task.spec.needs,
    attempts: task.attempts.length,
    agent: lastAttempt(task)?.agent ?? null,
    commit: 'commit' in task.phase ? task.phase.commit : (lastAttempt(task)?.ended?.saved?.commit ?? null),
    cost: Math.round(cost * 1e6) / 1e6,
    evidence: task.evidence,
    flags: lastAttempt(task)?.ended?.flags ?? [],
    warnings: (lastAttempt(task)?.warnings ?? []).map(({ message }) => message),
  };
}

function reasonOf(state: RunState): string | null {
  switch (state.status.kind) {
    case 'ended':
    case 'cancelling':
      return state.status.reason;
    case 'held':
      return state.status.hold.reason;
    case 'running':
      return isStuck(state) ? (attention(state)[0]?.reason ?? null) : null;
  }
}

/** The text or structured output of a run with a single reading task: its answer is the run's result. */
function resultOf(state: RunState): unknown {
  const asked = state.order.filter((key) => state.tasks[key]?.spec.analyzes === undefined);
  const task = asked.length === 1 ? state.tasks[asked[0] ?? ''] : undefined;
  if (task === undefined || task.spec.access !== 'read') return undefined;
  const ended = lastAttempt(task)?.ended;
  return ended == null ? undefined : (ended.output ?? ended.summary);
}
