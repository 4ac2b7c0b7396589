import { expect, it } from 'vitest';
import {
  NODE_HEIGHT,
  NODE_WIDTH,
  type NodePositions,
} from '../../../../../src/dashboard/features/run/graph/graph-layout.ts';
import { LEGIBLE, openingViewport } from '../../../../../src/dashboard/features/run/graph/opening-viewport.ts';

const SIZE = { width: 1000, height: 600 };

/** A chain of tasks, one layer each. */
const chain = (layers: number): NodePositions =>
  new Map(Array.from({ length: layers }, (_, index) => [`t${index}`, { x: index * 264, y: 0 }]));

it('opens a small graph in the middle, whole', () => {
  const { x, y, zoom } = openingViewport(chain(2), SIZE);
  expect(zoom).toBe(1);
  expect(x).toBe((1000 - 264 - NODE_WIDTH) / 2);
  expect(y).toBe((600 - NODE_HEIGHT) / 2);
});

it('makes a larger graph smaller until it fits, with both ends in view', () => {
  const { x, zoom } = openingViewport(chain(4), SIZE);
  expect(zoom).toBeGreaterThan(LEGIBLE);
  expect(zoom).toBeLessThan(1);
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + (3 * 264 + NODE_WIDTH) * zoom).toBeLessThanOrEqual(SIZE.width);
});

it('opens a graph that is too large at its beginning, legible', () => {
  expect(openingViewport(chain(40), SIZE)).toMatchObject({ x: 24, zoom: LEGIBLE });
});
