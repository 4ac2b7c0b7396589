import type { ComponentType } from 'react';
import type { RunState } from '../../../core/run/state.ts';
import { lazyView } from '../../ui/feedback/lazy-view.tsx';

/** What each way to look at a run is given; the state is changed in place, and `version` tells that it was. */
export type ViewProps = { state: RunState; version: number };
export type View = { name: string; title: string; view: ComponentType<ViewProps> };

/** How many lines stand for a view that is still coming. */
const LINES = 8;

/** The ways to look at a run; each is loaded when it is first looked at. */
export const VIEWS: readonly [View, ...View[]] = [
  {
    name: 'timeline',
    title: 'Timeline',
    view: lazyView(async () => (await import('./timeline/timeline.tsx')).Timeline, LINES),
  },
  { name: 'graph', title: 'Graph', view: lazyView(async () => (await import('./graph/graph.tsx')).Graph, LINES) },
  { name: 'tasks', title: 'Tasks', view: lazyView(async () => (await import('./tasks/tasks.tsx')).Tasks, LINES) },
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
