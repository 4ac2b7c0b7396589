import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openServer } from './open-test-server.ts';

it('lets an operator work while 2,000 connections without a login stay open', async () => {
  await using server = await openServer({ answer: () => ({ fine: true }) });
  const silent: Socket[] = [];
  try {
    for (let count = 0; count < 20; count += 1) {
      silent.push(...(await Promise.all(Array.from({ length: 100 }, () => openSilent(server.port)))));
      expect((await server.ask('/api/runs')).status).toBe(200);
    }
    await expect.poll(() => silent.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(100);
  } finally {
    for (const socket of silent) socket.destroy();
  }
});

it('closes a connection that does not log in, and keeps one that did', async () => {
  const alarms: (() => void)[] = [];
  const { realWorld } = await import('../../src/world.ts');
  const world = {
    ...realWorld,
    alarm: (at: number, ring: () => void) => {
      if (at - realWorld.now() > 14_000 && at - realWorld.now() < 16_000) alarms.push(ring);
      return realWorld.alarm(at, ring);
    },
  };
  await using server = await openServer({ world, answer: () => ({}) });
  const silent = await openSilent(server.port);
  const closed = once(silent, 'close');
  await expect.poll(() => alarms.length).toBe(1);
  alarms[0]?.();
  await closed;
});

async function openSilent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  return socket;
}
