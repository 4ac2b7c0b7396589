import type { GraphEdge } from './graph-model.ts';

/** Nodes that hang together, with the edges between them. */
export type GraphPart = { ids: string[]; edges: GraphEdge[] };

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
