import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { realWorld, type World } from '../../src/world.ts';
import { type Opened, openServer } from './open-test-server.ts';

const MB = 1024 * 1024;
const BODY_BYTES = 15 * MB;

it.each([
  ['a stated length', `content-length: ${BODY_BYTES}`],
  ['chunks', 'transfer-encoding: chunked'],
])('stops reading the body of a login that is too large, sent with %s', async (_, length) => {
  await using server = await openServer();
  const sent = await sendUntilClosed(server, ['POST /login HTTP/1.1', length]);
  // What the buffers of both ends hold; the rest is never read.
  expect(sent).toBeLessThan(BODY_BYTES / 2);
});

it('stops reading a body of a client that is not logged in', async () => {
  await using server = await openServer();
  expect(await sendUntilClosed(server, ['POST /api/runs HTTP/1.1', 'transfer-encoding: chunked'])).toBeLessThan(
    BODY_BYTES / 2,
  );
});

it('returns the memory of large bodies a second later, although no other request follows', async () => {
  const collections: (() => void)[] = [];
  const isCollection = (at: number) => Math.abs(at - realWorld.now() - 1_000) < 500;
  const alarm: World['alarm'] = (at, ring) => {
    if (!isCollection(at)) return realWorld.alarm(at, ring);
    collections.push(ring);
    return () => {};
  };
  await using server = await openServer({ world: { ...realWorld, alarm } });
  const kept = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  const before = kept();
  for (let count = 0; count < 4; count += 1) expect((await sendLarge(server)).status).toBe(200);
  server.calls.splice(0);
  // Each answer's connection closes in its own time, which may be after a collection: that requests another one.
  const collect = () => {
    for (const ring of collections.splice(0)) ring();
    return kept() - before;
  };
  await expect.poll(() => collections.length).toBe(1);
  await expect.poll(collect).toBeLessThan(10 * MB);
});

/** A body below the limit, which an operator may send. */
function sendLarge(server: Opened): Promise<Response> {
  const headers = { authorization: `Bearer ${server.tokens.operator}`, 'content-type': 'application/json' };
  return server.ask('/api/runs', { method: 'POST', headers, body: `{"recipe":"${'x'.repeat(BODY_BYTES)}"}` });
}

/** Sends chunks of 64 KB until the server closes the connection or the body is complete; returns how much it took. */
async function sendUntilClosed({ port }: Opened, [request, ...headers]: string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  const closed = once(socket, 'close').then(() => 'closed');
  const head = [request, `host: 127.0.0.1:${port}`, 'content-type: application/json', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const piece = 'x'.repeat(64 * 1024);
  const chunk = headers.includes('transfer-encoding: chunked') ? `10000\r\n${piece}\r\n` : piece;
  let sent = 0;
  while (sent < BODY_BYTES && !socket.destroyed) {
    const isTaken = new Promise((resolve) => socket.write(chunk, resolve));
    if ((await Promise.race([isTaken, closed])) === 'closed') break;
    sent += piece.length;
  }
  socket.destroy();
  return sent;
}
