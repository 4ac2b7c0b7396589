import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphModel } from './graph-model.ts';

/** A connected component of the graph. */
type GraphPart = { ids: string[]; edges: GraphEdge[] };

type NodePosition = { x: number; y: number };
/** A laid out component with its upper left corner at 0, 0. */
type LaidOutPart = { positions: Map<string, NodePosition>; width: number; height: number };

/** The upper left corner of each node. */
export type NodePositions = ReadonlyMap<string, NodePosition>;

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 48;

/** Above these limits the layered layout takes seconds; columns take milliseconds. */
const MAX_NODES = 400;
const MAX_EDGES = 1_200;
const GAP_X = 56;
const GAP_Y = 14;
/** A layer of more nodes is wrapped into several columns. */
const COLUMN_ROWS = 14;
/** The target ratio of width to height. */
const ASPECT = 2;

/** Lays a graph out from left to right; connected components are packed into rows. */
export function layoutGraph({ nodes, edges }: GraphModel): NodePositions {
  const isSmall = nodes.length <= MAX_NODES && edges.length <= MAX_EDGES;
  const ids = nodes.map(({ id }) => id);
  return packed(connectedParts(ids, edges).map((part) => (isSmall && !isTall(part) ? layered(part) : inColumns(part))));
}

/** Whether a layer has more nodes than fit below each other at a legible size. */
function isTall(part: GraphPart): boolean {
  const sizes = new Map<number, number>();
  for (const depth of depthsIn(part).values()) sizes.set(depth, (sizes.get(depth) ?? 0) + 1);
  return Math.max(0, ...sizes.values()) > COLUMN_ROWS;
}

function layered({ ids, edges }: GraphPart): LaidOutPart {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', ranksep: GAP_X, nodesep: GAP_Y });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const positions = new Map<string, NodePosition>();
  for (const id of ids) {
    const { x = 0, y = 0 } = graph.node(id);
    positions.set(id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 });
  }
  return laidOut(positions);
}

/** Nodes in columns by depth; a long column is split. */
function inColumns({ ids, edges }: GraphPart): LaidOutPart {
  const depths = depthsIn({ ids, edges });
  const byDepth = new Map<number, string[]>();
  for (const id of ids) {
    const depth = depths.get(id) ?? 0;
    const column = byDepth.get(depth);
    if (column === undefined) byDepth.set(depth, [id]);
    else column.push(id);
  }
  const positions = new Map<string, NodePosition>();
  let before = 0;
  for (const [, column] of [...byDepth].sort(([a], [b]) => a - b)) {
    column.forEach((id, index) => {
      const x = (before + Math.floor(index / COLUMN_ROWS)) * (NODE_WIDTH + GAP_X);
      positions.set(id, { x, y: (index % COLUMN_ROWS) * (NODE_HEIGHT + GAP_Y) });
    });
    before += Math.ceil(column.length / COLUMN_ROWS);
  }
  return laidOut(positions);
}

function laidOut(positions: Map<string, NodePosition>): LaidOutPart {
  let [width, height] = [0, 0];
  for (const { x, y } of positions.values()) {
    width = Math.max(width, x + NODE_WIDTH);
    height = Math.max(height, y + NODE_HEIGHT);
  }
  return { positions, width, height };
}

/** Packs components into rows of the target width. */
function packed(parts: readonly LaidOutPart[]): NodePositions {
  const area = parts.reduce((sum, { width, height }) => sum + (width + GAP_X) * (height + GAP_Y), 0);
  const widest = parts.reduce((most, { width }) => Math.max(most, width), 0);
  const rowWidth = Math.max(widest, Math.sqrt(area * ASPECT));
  const positions = new Map<string, NodePosition>();
  let [left, top, rowHeight] = [0, 0, 0];
  for (const part of parts) {
    if (left > 0 && left + part.width > rowWidth) {
      top += rowHeight + GAP_Y;
      [left, rowHeight] = [0, 0];
    }
    for (const [id, { x, y }] of part.positions) positions.set(id, { x: left + x, y: top + y });
    left += part.width + GAP_X;
    rowHeight = Math.max(rowHeight, part.height);
  }
  return positions;
}

/** The longest path to each node; a grouped graph may contain cycles, so each node is visited once. */
function depthsIn({ ids, edges }: GraphPart): Map<string, number> {
  const next = new Map<string, string[]>();
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { from, to } of edges) {
    const targets = next.get(from);
    if (targets === undefined) next.set(from, [to]);
    else targets.push(to);
    open.set(to, (open.get(to) ?? 0) + 1);
  }
  const depths = new Map<string, number>();
  const line = ids.filter((id) => open.get(id) === 0);
  for (const id of line) {
    const depth = depths.get(id) ?? 0;
    depths.set(id, depth);
    for (const target of next.get(id) ?? []) {
      depths.set(target, Math.max(depths.get(target) ?? 0, depth + 1));
      open.set(target, (open.get(target) ?? 1) - 1);
      if (open.get(target) === 0) line.push(target);
    }
  }
  return depths;
}

/** The connected components of a graph, in the order of their first nodes. */
export function connectedParts(ids: readonly string[], edges: readonly GraphEdge[]): GraphPart[] {
  const heads = new Map(ids.map((id) => [id, id]));
  const headOf = (id: string): string => {
    let head = id;
    for (let above = heads.get(head); above !== undefined && above !== head; above = heads.get(head)) head = above;
    heads.set(id, head);
    return head;
  };
  for (const { from, to } of edges) heads.set(headOf(to), headOf(from));
  const parts = new Map<string, GraphPart>();
  for (const id of ids) {
    const head = headOf(id);
    const part = parts.get(head);
    if (part === undefined) parts.set(head, { ids: [id], edges: [] });
    else part.ids.push(id);
  }
  for (const edge of edges) parts.get(headOf(edge.from))?.edges.push(edge);
  return [...parts.values()];
}
