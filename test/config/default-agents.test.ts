import { expect, it } from 'vitest';
import { defaultAgents } from '../../src/config/load.ts';

const GB = 1024 ** 3;

it.each([
  ['few cores', 2, 64, 8],
  ['little memory', 16, 6.5, 6],
  ['a very small machine', 1, 0.5, 2],
  ['a large machine', 64, 256, 20],
])('attempts at once on %s', (_machine, cores, gigabytes, agents) => {
  expect(defaultAgents({ cores, memoryBytes: gigabytes * GB })).toBe(agents);
});
