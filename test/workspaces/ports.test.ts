import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Config } from '../../src/schema/config.ts';
import { leasePorts, portVariables } from '../../src/workspaces/ports.ts';

it('leases free ports, each to one holder until it is released', async () => {
  using one = await leasePorts(2, {});
  using two = await leasePorts(2, {});
  const ports = [...one.ports, ...two.ports];
  expect(new Set(ports).size).toBe(4);
  expect(portVariables(one.ports)).toEqual({ PORT: String(ports[0]), MANYHANDS_PORTS: `${ports[0]},${ports[1]}` });
  expect(portVariables([])).toEqual({});
});

it('leases only ports of a range that nothing listens on, and says when there is none left', async () => {
  const range = await freeRange();
  const { from } = range;
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(from, '127.0.0.1', resolve);
  await promise;
  try {
    using lease = await leasePorts(1, range);
    expect(lease.ports).toEqual([from + 1]);
    await expect(leasePorts(1, range)).rejects.toThrow(`All ports from ${from} to ${from + 1}`);
  } finally {
    server.close();
  }
  expect((await leasePorts(1, range)).ports).toEqual([from]);
});

it('accepts a range only with both ends in order', () => {
  expect(Config.parse({}).ports).toEqual({ perTask: 1 });
  expect(Config.safeParse({ ports: { from: 4000 } }).success).toBe(false);
  expect(Config.safeParse({ ports: { from: 4001, to: 4000 } }).success).toBe(false);
});

/** Two neighbouring ports below those that the system hands out, so that no other program gets one of them by chance. */
async function freeRange(): Promise<{ from: number; to: number }> {
  for (let from = 10_000 + (process.pid % 20_000); ; from += 2) {
    const range = { from, to: from + 1 };
    const both = await leasePorts(2, range).catch(() => undefined);
    both?.[Symbol.dispose]();
    if (both !== undefined) return range;
  }
}
