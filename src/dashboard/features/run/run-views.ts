import type { ComponentType } from 'react';
import type { RunState } from '../../../core/run/state.ts';
import { lazyView } from '../../ui/feedback/lazy-view.tsx';

/** The props of a run view; the state is mutated in place, and `version` changes with it. */
export type ViewProps = { state: RunState; version: number };
type View = { name: string; title: string; view: ComponentType<ViewProps> };

/** The number of placeholder lines while a view is loading. */
const LINES = 8;

/** A plan that waits for approval comes first: it is what the user must read. */
const PLAN: View = {
  name: 'plan',
  title: 'Plan',
  view: lazyView(async () => (await import('./plan/plan.tsx')).Plan, LINES),
};

/** What a run that works in rounds has reached. */
const PROGRESS: View = {
  name: 'progress',
  title: 'Progress',
  view: lazyView(async () => (await import('./progress/progress.tsx')).Progress, LINES),
};

/** The views of a run; each module is loaded when it is first shown. */
const VIEWS: readonly [View, ...View[]] = [
  {
    name: 'timeline',
    title: 'Timeline',
    view: lazyView(async () => (await import('./timeline/timeline.tsx')).Timeline, LINES),
  },
  { name: 'graph', title: 'Graph', view: lazyView(async () => (await import('./graph/graph.tsx')).Graph, LINES) },
  { name: 'tasks', title: 'Tasks', view: lazyView(async () => (await import('./tasks/tasks.tsx')).Tasks, LINES) },
  {
    name: 'changes',
    title: 'Changes',
    view: lazyView(async () => (await import('./changes/run-changes.tsx')).Changes, LINES),
  },
  {
    name: 'events',
    title: 'Events',
    view: lazyView(async () => (await import('./events/events.tsx')).Events, LINES),
  },
  { name: 'cost', title: 'Cost', view: lazyView(async () => (await import('./cost/cost.tsx')).Cost, LINES) },
  {
    name: 'report',
    title: 'Report',
    view: lazyView(async () => (await import('./report/report.tsx')).Report, LINES),
  },
];

/** Whether a run has a plan that waits for approval; a plan with options is answered where the run waits. */
export function hasWaitingPlan({ status }: RunState): boolean {
  return status.kind === 'held' && status.hold.what === 'plan' && status.hold.options === undefined;
}

/** The views that a run has now; the first is shown by default. */
export function viewsOf(state: RunState, inRounds: boolean): readonly [View, ...View[]] {
  const [first, ...others] = VIEWS;
  const views: readonly [View, ...View[]] = inRounds ? [first, PROGRESS, ...others] : VIEWS;
  return hasWaitingPlan(state) ? [PLAN, ...views] : views;
}
