import { NODE_HEIGHT, NODE_WIDTH, type NodePositions } from './graph-layout.ts';

/** Below this zoom the text of a node cannot be read; the map shows what is outside. */
export const LEGIBLE = 0.85;

const MARGIN = 24;

/** What of a graph is seen first: all of it in the middle, or, where that would not be legible, its beginning. */
export function openingViewport(
  positions: NodePositions,
  { width, height }: { width: number; height: number },
): { x: number; y: number; zoom: number } {
  let [right, bottom] = [NODE_WIDTH, NODE_HEIGHT];
  for (const { x, y } of positions.values()) {
    right = Math.max(right, x + NODE_WIDTH);
    bottom = Math.max(bottom, y + NODE_HEIGHT);
  }
  const fitting = Math.min((width - 2 * MARGIN) / right, (height - 2 * MARGIN) / bottom);
  const zoom = Math.min(1, Math.max(LEGIBLE, fitting));
  const start = (size: number, used: number) => Math.max(MARGIN, (size - used * zoom) / 2);
  return { x: start(width, right), y: start(height, bottom), zoom };
}
