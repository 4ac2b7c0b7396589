import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphModel } from './graph-model.ts';

/** Nodes that hang together, with the edges between them. */
type GraphPart = { ids: string[]; edges: GraphEdge[] };

type Place = { x: number; y: number };
/** A laid out part of a graph, its upper left corner at 0, 0. */
type Piece = { places: Map<string, Place>; width: number; height: number };

/** Where each node stands: its upper left corner. */
export type Places = ReadonlyMap<string, Place>;

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 48;

/** Beyond these a layout that weighs crossings takes seconds; columns take milliseconds. */
const MOST_NODES = 400;
const MOST_EDGES = 1_200;
const GAP_X = 56;
const GAP_Y = 14;
const COLUMN_ROWS = 40;
/** The drawing is about so much wider than high, like a screen. */
const ASPECT = 2;

/** Lays a graph out from left to right; parts that do not hang together stand beside and below each other. */
export function placesOf({ nodes, edges }: GraphModel): Places {
  const isSmall = nodes.length <= MOST_NODES && edges.length <= MOST_EDGES;
  const ids = nodes.map(({ id }) => id);
  return packed(partsOf(ids, edges).map((part) => (isSmall ? layered(part) : inColumns(part))));
}

type Part = { ids: readonly string[]; edges: readonly GraphEdge[] };

function layered({ ids, edges }: Part): Piece {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', ranksep: GAP_X, nodesep: GAP_Y });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const places = new Map<string, Place>();
  for (const id of ids) {
    const { x = 0, y = 0 } = graph.node(id);
    places.set(id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 });
  }
  return pieceOf(places);
}

/** Nodes in columns by how many steps lie before them; a long column is broken into several. */
function inColumns({ ids, edges }: Part): Piece {
  const depths = depthsIn({ ids, edges });
  const byDepth = new Map<number, string[]>();
  for (const id of ids) {
    const depth = depths.get(id) ?? 0;
    const column = byDepth.get(depth);
    if (column === undefined) byDepth.set(depth, [id]);
    else column.push(id);
  }
  const places = new Map<string, Place>();
  let before = 0;
  for (const [, column] of [...byDepth].sort(([a], [b]) => a - b)) {
    column.forEach((id, index) => {
      const x = (before + Math.floor(index / COLUMN_ROWS)) * (NODE_WIDTH + GAP_X);
      places.set(id, { x, y: (index % COLUMN_ROWS) * (NODE_HEIGHT + GAP_Y) });
    });
    before += Math.ceil(column.length / COLUMN_ROWS);
  }
  return pieceOf(places);
}

function pieceOf(places: Map<string, Place>): Piece {
  let [width, height] = [0, 0];
  for (const { x, y } of places.values()) {
    width = Math.max(width, x + NODE_WIDTH);
    height = Math.max(height, y + NODE_HEIGHT);
  }
  return { places, width, height };
}

/** Puts pieces into rows that are about as wide as the whole should be. */
function packed(pieces: readonly Piece[]): Places {
  const area = pieces.reduce((sum, { width, height }) => sum + (width + GAP_X) * (height + GAP_Y), 0);
  const widest = pieces.reduce((most, { width }) => Math.max(most, width), 0);
  const room = Math.max(widest, Math.sqrt(area * ASPECT));
  const places = new Map<string, Place>();
  let [left, top, rowHeight] = [0, 0, 0];
  for (const piece of pieces) {
    if (left > 0 && left + piece.width > room) {
      top += rowHeight + GAP_Y;
      [left, rowHeight] = [0, 0];
    }
    for (const [id, { x, y }] of piece.places) places.set(id, { x: left + x, y: top + y });
    left += piece.width + GAP_X;
    rowHeight = Math.max(rowHeight, piece.height);
  }
  return places;
}

/** Longest way to each node; edges of a folded graph may run in circles, so each node is settled once. */
function depthsIn({ ids, edges }: Part): Map<string, number> {
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

/** Takes a graph apart where nothing holds it together; the parts come in the order of their first nodes. */
export function partsOf(ids: readonly string[], edges: readonly GraphEdge[]): GraphPart[] {
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
