import { type ComponentType, lazy } from 'react';
import type { RunState } from '../../../core/run/state.ts';

/** What each way to look at a run is given; the state is changed in place, and `version` tells that it was. */
export type ViewProps = { state: RunState; version: number };
export type View = { name: string; title: string; view: ComponentType<ViewProps> };

/** The ways to look at a run; each is loaded when it is first looked at. */
export const VIEWS: readonly [View, ...View[]] = [
  {
    name: 'timeline',
    title: 'Timeline',
    view: lazy(async () => ({ default: (await import('./timeline/timeline.tsx')).Timeline })),
  },
  { name: 'graph', title: 'Graph', view: lazy(async () => ({ default: (await import('./graph/graph.tsx')).Graph })) },
  { name: 'tasks', title: 'Tasks', view: lazy(async () => ({ default: (await import('./tasks/tasks.tsx')).Tasks })) },
  {
    name: 'events',
    title: 'Events',
    view: lazy(async () => ({ default: (await import('./events/events.tsx')).Events })),
  },
  { name: 'cost', title: 'Cost', view: lazy(async () => ({ default: (await import('./cost/cost.tsx')).Cost })) },
  {
    name: 'report',
    title: 'Report',
    view: lazy(async () => ({ default: (await import('./report/report.tsx')).Report })),
  },
];
