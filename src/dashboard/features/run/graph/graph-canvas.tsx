import {
  Background,
  Controls,
  type Edge,
  MiniMap,
  type NodeHandle,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import { type ReactElement, useEffect, useMemo } from 'react';
import { colorOf, lookOfTask } from '../../../ui/state/display-state.ts';
import { NODE_HEIGHT, NODE_WIDTH, type Places } from './graph-layout.ts';
import type { GraphModel } from './graph-model.ts';
import { ClusterNode, type ClusterNodeData, TaskNode, type TaskNodeData, useLiveState } from './graph-nodes.tsx';

const NODE_TYPES = { task: TaskNode, cluster: ClusterNode };
/** A small graph is seen at once, and a map of a very large one is as heavy as the graph. */
const LEAST_IN_MAP = 25;
const MOST_IN_MAP = 2_000;

/** More nodes than that are never drawn at once: a far view of ten thousand takes a browser half a minute. */
const MOST_FITTED = 600;
const SMALL = { fitView: true, fitViewOptions: { maxZoom: 1, padding: 0.08 }, minZoom: 0.05 };
const BIG = { defaultViewport: { x: 24, y: 24, zoom: 0.7 }, minZoom: 0.25 };

/** The drawing: what is out of sight does not exist. */
export function Canvas({ model, places }: { model: GraphModel; places: Places }): ReactElement {
  const { state, stale, sought } = useLiveState();
  const nodes = useMemo(() => nodesOf(model, places), [model, places]);
  const edges = useMemo(
    (): Edge[] =>
      model.edges.map(({ id, from, to, serves }) => ({
        id,
        source: from,
        target: to,
        focusable: false,
        ...(serves ? { style: { strokeDasharray: '4 4' } } : {}),
      })),
    [model],
  );
  const colorIn = (node: TaskNodeData | ClusterNodeData) => {
    const task = node.type === 'task' ? state.tasks[node.data.task] : undefined;
    return task === undefined ? 'var(--line-strong)' : colorOf(lookOfTask(task.phase.status, stale.has(task.spec.key)));
  };
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onlyRenderVisibleElements
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnDoubleClick={false}
      {...(nodes.length > MOST_FITTED ? BIG : SMALL)}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
    >
      <Seeker sought={sought} places={places} />
      <Background gap={24} color="var(--line)" />
      <Controls showInteractive={false} />
      {nodes.length < LEAST_IN_MAP || nodes.length > MOST_IN_MAP ? null : (
        <MiniMap pannable zoomable nodeColor={colorIn} ariaLabel="Map of the graph" maskColor="transparent" />
      )}
    </ReactFlow>
  );
}

/** Where edges touch a node; without being told, the drawing would make every node once to measure it. */
const HANDLES: NodeHandle[] = [
  { type: 'target', position: Position.Left, x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
  { type: 'source', position: Position.Right, x: NODE_WIDTH, y: NODE_HEIGHT / 2, width: 1, height: 1 },
];

function nodesOf({ nodes }: GraphModel, places: Places): (TaskNodeData | ClusterNodeData)[] {
  return nodes.map((node) => {
    const fixed = {
      id: node.id,
      position: places.get(node.id) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
      handles: HANDLES,
    };
    if (node.kind === 'task') return { ...fixed, type: 'task', data: { task: node.task } };
    return { ...fixed, type: 'cluster', data: { name: node.name, tasks: node.tasks } };
  });
}

/** Brings the node that was looked for into the middle. */
function Seeker({ sought, places }: { sought: string | null; places: Places }): null {
  const { setCenter } = useReactFlow();
  useEffect(() => {
    const place = sought === null ? undefined : places.get(sought);
    if (place !== undefined) void setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: 1 });
  }, [sought, places, setCenter]);
  return null;
}
