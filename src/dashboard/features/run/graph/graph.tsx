import { clusterOf, defaultGrouping, findTask, type GraphModel, type Grouping, graphModel } from './graph-model.ts';
import '@xyflow/react/dist/base.css';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { whenIdle } from '../../../ui/browser/clock.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import type { ViewProps } from '../run-views.ts';
import { staleTasks } from '../tasks/task-plan.ts';
import { Tasks } from '../tasks/tasks.tsx';
import { criticalPath } from './critical-path.ts';
import styles from './graph.module.css';
import { GraphBar } from './graph-bar.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import { layoutGraph, type NodePositions } from './graph-layout.ts';
import { NodeContext } from './graph-nodes.tsx';

const GROUPINGS: readonly Grouping[] = ['none', 'track', 'role', 'depth', 'state'];

/** The graph; on a narrow screen first the list of tasks, which says the same in less space. */
export function Graph({ state, version }: ViewProps): ReactElement {
  const [isRequested, setRequested] = useState(false);
  if (isRequested || !window.matchMedia(NARROW).matches) return <TaskGraph state={state} version={version} />;
  return (
    <div>
      <p className={styles.narrow}>
        <Button onClick={() => setRequested(true)}>Show the graph</Button>
      </p>
      <Tasks state={state} version={version} />
    </div>
  );
}

const NARROW = '(max-width: 720px)';

/** The dependency graph of a run; large graphs are grouped into clusters that can be expanded. */
function TaskGraph({ state, version }: ViewProps): ReactElement {
  const [search, setSearch] = useSearchParams();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [foundTask, setFoundTask] = useState<string | null>(null);
  const size = state.order.length;
  const by = GROUPINGS.find((each) => each === search.get('by')) ?? defaultGrouping(state);
  // Tasks are only added, so the graph changes with their number, or with each version if grouped by state.
  const shape = by === 'state' ? version : size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const model = useMemo(() => graphModel(state, { by, expanded }), [state, shape, by, expanded]);
  const layout = useLayout(model);
  const nodeContext = useMemo(
    () => ({
      state,
      version,
      stale: staleTasks(state),
      critical: criticalPath(state, state.updatedAt),
      foundTask,
      expand: (cluster: string) => setExpanded((before) => new Set([...before, cluster])),
    }),
    [state, version, foundTask],
  );
  const choose = (grouping: Grouping) => {
    setExpanded(new Set());
    setSearch({ view: 'graph', by: grouping }, { replace: true });
  };
  const find = (text: string) => {
    const task = findTask(state, text, foundTask);
    const cluster = task === undefined ? undefined : clusterOf(state, by, task);
    if (task === undefined || cluster === undefined) return false;
    setFoundTask(task);
    if (by !== 'none' && !expanded.has(cluster)) setExpanded(new Set([...expanded, cluster]));
    return true;
  };
  if (size === 0)
    return <EmptyState title="No tasks yet">The run is being prepared. Its tasks appear here.</EmptyState>;
  return (
    <div className={styles.graph}>
      <GraphBar
        by={by}
        onChoose={choose}
        hasExpanded={expanded.size > 0}
        onCollapseAll={() => setExpanded(new Set())}
        onFind={find}
      />
      <div className={styles.canvas}>
        {layout === undefined ? (
          <Skeleton lines={8} />
        ) : (
          <NodeContext value={nodeContext}>
            <GraphCanvas model={layout.model} positions={layout.positions} />
          </NodeContext>
        )}
      </div>
    </div>
  );
}

/** Computes the layout while the browser is idle; the previous layout is shown until then. */
function useLayout(model: GraphModel): { model: GraphModel; positions: NodePositions } | undefined {
  const [layout, setLayout] = useState<{ model: GraphModel; positions: NodePositions } | undefined>();
  useEffect(() => whenIdle(() => setLayout({ model, positions: layoutGraph(model) })), [model]);
  return layout;
}
