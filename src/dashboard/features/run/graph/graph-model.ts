import type { RunState, TaskState } from '../../../../core/run/state.ts';
import { STATE_LABELS, taskDisplayState } from '../../../ui/state/display-state.ts';
import { depthsOf } from '../tasks/task-plan.ts';

/** A node of the graph: a task, or a cluster of tasks. */
type GraphNode =
  | { id: string; kind: 'task'; task: string }
  | { id: string; kind: 'cluster'; name: string; tasks: string[] };
/** `serves`: the second task exists because of the first: it resolves its conflict, analyzes its failure, verifies it, or follows it. */
export type GraphEdge = { id: string; from: string; to: string; serves: boolean };
export type GraphModel = { nodes: GraphNode[]; edges: GraphEdge[] };

export type Grouping = 'track' | 'role' | 'depth' | 'state' | 'none';
type Grouped = { by: Grouping; expanded: ReadonlySet<string> };

/** Up to this number tasks are not grouped by default. */
const MAX_UNGROUPED = 300;

/** In a graph with more edges, edges to clusters are left out because they hide the others. */
const MAX_CLUSTER_EDGES = 1_200;

/** The default grouping of a run's tasks. */
export function defaultGrouping(state: RunState): Grouping {
  if (state.order.length <= MAX_UNGROUPED) return 'none';
  const tracks = new Set<string>();
  const roles = new Set<string>();
  for (const key of state.order) {
    const spec = state.tasks[key]?.spec;
    if (spec?.track !== undefined) tracks.add(spec.track);
    if (spec !== undefined) roles.add(spec.role);
  }
  if (tracks.size > 1) return 'track';
  if (roles.size > 1) return 'role';
  return Object.keys(state.dependents).length > 0 ? 'depth' : 'state';
}

/** The cluster of a task. */
export function clusterOf(state: RunState, by: Grouping, task: string): string | undefined {
  const found = state.tasks[task];
  return found === undefined ? undefined : clusterId(namesBy(state, by)(found));
}

/** The nodes and edges of the graph; edges between the same clusters are joined. */
export function graphModel(state: RunState, { by, expanded }: Grouped): GraphModel {
  const clusters = clustersOf(state, by);
  const nodeOf = new Map<string, string>();
  const nodes: GraphNode[] = [];
  for (const [name, tasks] of clusters) {
    const id = clusterId(name);
    if (by === 'none' || expanded.has(id) || tasks.length === 1) {
      for (const task of tasks) {
        nodes.push({ id: task, kind: 'task', task });
        nodeOf.set(task, task);
      }
    } else {
      nodes.push({ id, kind: 'cluster', name, tasks });
      for (const task of tasks) nodeOf.set(task, id);
    }
  }
  const edges = edgesOf(state, nodeOf);
  if (edges.length <= MAX_CLUSTER_EDGES) return { nodes, edges };
  return { nodes, edges: edges.filter(({ from, to }) => isTask(state, from) && isTask(state, to)) };
}

function clustersOf(state: RunState, by: Grouping): Map<string, string[]> {
  const nameOf = namesBy(state, by);
  const clusters = new Map<string, string[]>();
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined) continue;
    const name = nameOf(task);
    const tasks = clusters.get(name);
    if (tasks === undefined) clusters.set(name, [key]);
    else tasks.push(key);
  }
  return clusters;
}

function namesBy(state: RunState, by: Grouping): (task: TaskState) => string {
  switch (by) {
    case 'none':
      return () => '';
    case 'track':
      return ({ spec }) => spec.track ?? 'no track';
    case 'role':
      return ({ spec }) => spec.role;
    case 'state':
      return ({ phase }) => STATE_LABELS[taskDisplayState(phase.status)];
    case 'depth': {
      const depths = depthsOf(state);
      return ({ spec }) => `step ${(depths.get(spec.key) ?? 0) + 1}`;
    }
  }
}

function edgesOf(state: RunState, nodeOf: ReadonlyMap<string, string>): GraphEdge[] {
  const edges = new Map<string, GraphEdge>();
  for (const key of state.order) {
    const to = nodeOf.get(key);
    for (const need of state.tasks[key]?.spec.needs ?? []) {
      const from = nodeOf.get(need);
      if (from === undefined || to === undefined || from === to) continue;
      const id = `${from}>${to}`;
      if (!edges.has(id)) edges.set(id, { id, from, to, serves: false });
    }
    const served = nodeOf.get(causeOf(state.tasks[key]) ?? '');
    if (served !== undefined && to !== undefined && served !== to) {
      const id = `${served}>${to}`;
      if (!edges.has(id)) edges.set(id, { id, from: served, to, serves: true });
    }
  }
  return [...edges.values()];
}

/** The task because of which this one exists. */
export function causeOf(task: TaskState | undefined): string | null {
  if (task === undefined) return null;
  const { resolves, analyzes, verifies, needs } = task.spec;
  return resolves ?? analyzes ?? verifies ?? (needs.length === 0 ? task.follows : null);
}

function isTask(state: RunState, id: string): boolean {
  return Object.hasOwn(state.tasks, id);
}

function clusterId(name: string): string {
  return `cluster ${name}`;
}

/** The next task after the last found one whose key or title contains the text. */
export function findTask(state: RunState, query: string, after: string | null): string | undefined {
  const text = query.trim().toLowerCase();
  if (text === '') return undefined;
  const start = after === null ? 0 : state.order.indexOf(after) + 1;
  for (let step = 0; step < state.order.length; step += 1) {
    const key = state.order[(start + step) % state.order.length];
    const title = key === undefined ? undefined : state.tasks[key]?.spec.title;
    if (key !== undefined && title !== undefined && `${key} ${title}`.toLowerCase().includes(text)) return key;
  }
  return undefined;
}
