import { clusterOf, defaultGrouping, findTask, type GraphModel, type Grouping, graphModel } from './graph-model.ts';
import '@xyflow/react/dist/base.css';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { whenIdle } from '../../../ui/browser/clock.ts';
import { Empty, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import type { ViewProps } from '../run-views.ts';
import { staleTasks } from '../tasks/task-plan.ts';
import styles from './graph.module.css';
import { GraphBar } from './graph-bar.tsx';
import { Canvas } from './graph-canvas.tsx';
import { type Places, placesOf } from './graph-layout.ts';
import { LiveStateContext } from './graph-nodes.tsx';

const GROUPINGS: readonly Grouping[] = ['none', 'track', 'role', 'depth', 'state'];

/** The run as a graph of what needs what; large ones are folded, and unfold by a press. */
export function Graph({ state, version }: ViewProps): ReactElement {
  const [search, setSearch] = useSearchParams();
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [sought, setSought] = useState<string | null>(null);
  const size = state.order.length;
  const by = GROUPINGS.find((each) => each === search.get('by')) ?? defaultGrouping(state);
  // Tasks are only added: unless they stand by their state, the graph changes its shape when their number does.
  const shape = by === 'state' ? version : size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const model = useMemo(() => graphModel(state, { by, unfolded }), [state, shape, by, unfolded]);
  const laid = usePlaces(model);
  const live = useMemo(
    () => ({
      state,
      version,
      stale: staleTasks(state),
      sought,
      toggle: (cluster: string) => setUnfolded((before) => new Set([...before, cluster])),
    }),
    [state, version, sought],
  );
  const choose = (grouping: Grouping) => {
    setUnfolded(new Set());
    setSearch({ view: 'graph', by: grouping }, { replace: true });
  };
  const find = (words: string) => {
    const task = findTask(state, words, sought);
    const cluster = task === undefined ? undefined : clusterOf(state, by, task);
    if (task === undefined || cluster === undefined) return false;
    setSought(task);
    if (by !== 'none' && !unfolded.has(cluster)) setUnfolded(new Set([...unfolded, cluster]));
    return true;
  };
  if (size === 0) return <Empty title="No tasks yet">The run is being prepared; its tasks appear here.</Empty>;
  return (
    <div className={styles.graph}>
      <GraphBar
        by={by}
        onChoose={choose}
        hasUnfolded={unfolded.size > 0}
        onFold={() => setUnfolded(new Set())}
        onFind={find}
      />
      <div className={styles.canvas}>
        {laid === undefined ? (
          <Skeleton lines={8} />
        ) : (
          <LiveStateContext value={live}>
            <Canvas model={laid.model} places={laid.places} />
          </LiveStateContext>
        )}
      </div>
    </div>
  );
}

/** Lays a graph out while the page has nothing better to do; until then the former places stay. */
function usePlaces(model: GraphModel): { model: GraphModel; places: Places } | undefined {
  const [laid, setLaid] = useState<{ model: GraphModel; places: Places } | undefined>();
  useEffect(() => whenIdle(() => setLaid({ model, places: placesOf(model) })), [model]);
  return laid;
}
