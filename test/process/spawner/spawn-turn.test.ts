import { expect, it } from 'vitest';
import { spawnTurn } from '../../../src/process/spawner/spawn-turn.ts';

it('lets one program start in each turn of the event loop, in order', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const started: { index: number; turn: number }[] = [];
  await Promise.all([0, 1, 2, 3].map((index) => spawnTurn().then(() => started.push({ index, turn }))));
  isOver = true;
  expect(started.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(new Set(started.map((each) => each.turn)).size).toBe(4);
});

it('lets a single program start at once', async () => {
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await spawnTurn();
  expect(isLater).toBe(false);
});
