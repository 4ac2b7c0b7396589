import { expect, test } from 'vitest';
import { excessFailure, resourceLimitsFor } from '../../../src/core/attempt/resources.ts';
import { followUp } from '../../../src/failures/registry.ts';
import { Config } from '../../../src/schema/config.ts';

const GIGABYTE = 1024 ** 3;

const limitsOf = (settings: object, memoryBytes = 16 * GIGABYTE) =>
  resourceLimitsFor(Config.parse(settings), { memoryBytes });

test.each([
  [{}, 16, 8, 2],
  [{}, 64, 32, 2],
  [{}, 2, 2, 0.5],
  [{ resources: { memoryMb: 1024 } }, 16, 1, 0.25],
  [{ resources: { memoryMb: 1024, tmpMb: 512 } }, 16, 1, 0.5],
])(
  'with %j on a machine with %d GB: %d GB of memory and %d GB for each private folder',
  (settings, machine, memory, tmp) => {
    const limits = limitsOf(settings, machine * GIGABYTE);
    expect([limits.memoryBytes, limits.privateBytes]).toEqual([memory * GIGABYTE, tmp * GIGABYTE]);
  },
);

test('processors are limited only where the settings say so, and half of the free disk space is the reserve', () => {
  expect(limitsOf({})).not.toHaveProperty('cpus');
  const limits = limitsOf({ resources: { cpus: 1.5 }, limits: { freeDiskMb: 100 } });
  expect([limits.cpus, limits.diskReserveBytes]).toEqual([1.5, 50 * 1024 * 1024]);
});

test.each([
  ['memory', 'out-of-memory', 'retry'],
  ['processes', 'too-many-processes', 'retry'],
  ['disk', 'disk-full', 'block'],
] as const)('an attempt that reached the limit of its %s fails as %s: %s', (resource, kind, action) => {
  const failure = excessFailure({ resource, text: 'used more than it may' });
  expect(failure).toMatchObject({
    kind,
    message: expect.stringMatching(/^It used more than it may \(.*(resources|limits)\./),
  });
  expect(followUp(failure, { attempt: 1, now: 0 }).action).toBe(action);
});
