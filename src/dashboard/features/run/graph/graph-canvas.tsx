import {
  Background,
  Controls,
  type Edge,
  MiniMap,
  type NodeHandle,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { stateColor, taskDisplayState } from '../../../ui/state/display-state.ts';
import { NODE_HEIGHT, NODE_WIDTH, type NodePositions } from './graph-layout.ts';
import type { GraphModel } from './graph-model.ts';
import { ClusterNode, type ClusterNodeData, TaskNode, type TaskNodeData, useNodeContext } from './graph-nodes.tsx';
import { LEGIBLE, openingViewport } from './opening-viewport.ts';

const NODE_TYPES = { task: TaskNode, cluster: ClusterNode };
/** A small graph needs no map, and the map of a very large one is as slow as the graph. */
const MIN_IN_MAP = 8;
const MAX_IN_MAP = 2_000;

/** The rendered graph; only visible nodes exist in the DOM. */
export function GraphCanvas({ model, positions }: { model: GraphModel; positions: NodePositions }): ReactElement {
  const { state, stale, critical, foundTask } = useNodeContext();
  const nodes = useMemo(() => nodesOf(model, positions), [model, positions]);
  const edges = useMemo(
    (): Edge[] =>
      model.edges.map(({ id, from, to, serves }) => ({
        id,
        source: from,
        target: to,
        focusable: false,
        style: {
          ...(serves ? { strokeDasharray: '4 4' } : {}),
          ...(critical.has(from) && critical.has(to) ? { stroke: 'var(--accent)', strokeWidth: 2.5 } : {}),
        },
      })),
    [model, critical],
  );
  const colorIn = (node: TaskNodeData | ClusterNodeData) => {
    const task = node.type === 'task' ? state.tasks[node.data.task] : undefined;
    return task === undefined
      ? 'var(--line-strong)'
      : stateColor(taskDisplayState(task.phase.status, stale.has(task.spec.key)));
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
      minZoom={LEGIBLE}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
    >
      <OpeningView positions={positions} />
      <CenterOnTask foundTask={foundTask} positions={positions} />
      <Background gap={24} color="var(--line)" />
      <Controls showInteractive={false} />
      {nodes.length < MIN_IN_MAP || nodes.length > MAX_IN_MAP ? null : (
        <MiniMap
          pannable
          zoomable
          nodeColor={colorIn}
          ariaLabel="Overview map"
          maskColor="color-mix(in srgb, var(--text) 12%, transparent)"
        />
      )}
    </ReactFlow>
  );
}

/** The handles of every node; with fixed handles React Flow does not need to render all nodes to measure them. */
const HANDLES: NodeHandle[] = [
  { type: 'target', position: Position.Left, x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
  { type: 'source', position: Position.Right, x: NODE_WIDTH, y: NODE_HEIGHT / 2, width: 1, height: 1 },
];

function nodesOf({ nodes }: GraphModel, positions: NodePositions): (TaskNodeData | ClusterNodeData)[] {
  return nodes.map((node) => {
    const fixed = {
      id: node.id,
      position: positions.get(node.id) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
      handles: HANDLES,
    };
    if (node.kind === 'task') return { ...fixed, type: 'task', data: { task: node.task } };
    return { ...fixed, type: 'cluster', data: { name: node.name, tasks: node.tasks } };
  });
}

/** Shows the graph as a whole where it fits at a legible size, else its beginning. */
function OpeningView({ positions }: { positions: NodePositions }): null {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const isOpen = useRef(false);
  useEffect(() => {
    if (isOpen.current || width === 0 || height === 0) return;
    isOpen.current = true;
    void setViewport(openingViewport(positions, { width, height }));
  }, [positions, width, height, setViewport]);
  return null;
}

/** Centers the found task. */
function CenterOnTask({ foundTask, positions }: { foundTask: string | null; positions: NodePositions }): null {
  const { setCenter } = useReactFlow();
  useEffect(() => {
    const position = foundTask === null ? undefined : positions.get(foundTask);
    if (position !== undefined) void setCenter(position.x + NODE_WIDTH / 2, position.y + NODE_HEIGHT / 2, { zoom: 1 });
  }, [foundTask, positions, setCenter]);
  return null;
}
