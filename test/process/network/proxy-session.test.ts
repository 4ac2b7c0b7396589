import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { AllowedHost } from '../../../src/process/network/destination.ts';
import { withoutKeys } from '../../../src/process/network/key-route.ts';
import { openProxySession, type ProxySession } from '../../../src/process/network/proxy-session.ts';
import type { KeyRoute, SessionPolicy } from '../../../src/process/network/session-rules.ts';
import { temporaryFolder } from '../launching.ts';

const opened: { close(): unknown }[] = [];

afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

type Started = { session: ProxySession; path: string };

async function startSession(
  allow: AllowedHost[],
  options: { routes?: KeyRoute[]; addresses?: Record<string, string[][]>; policy?: SessionPolicy } = {},
): Promise<Started> {
  const { routes = [], addresses = {}, policy } = options;
  const path = join(temporaryFolder(), 's.sock');
  const resolve = async (host: string) => addresses[host]?.shift() ?? [];
  const session = openProxySession(
    { id: 's', allow, routes, ...(policy === undefined ? {} : { policy }) },
    { resolve, onUse: () => {} },
  );
  await new Promise<void>((done) => session.server.listen(path, done));
  opened.push(session);
  return { session, path };
}

/** A server on loopback that echoes what it got. */
async function startServer(): Promise<{ port: number; received: IncomingMessage[] }> {
  const received: IncomingMessage[] = [];
  const server: Server = createServer(async (message, response) => {
    received.push(message);
    const body = await text(message);
    response.end(JSON.stringify({ method: message.method, url: message.url, headers: message.headers, body }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.push({ close: () => server.close(() => {}).closeAllConnections() });
  return { port: (server.address() as AddressInfo).port, received };
}

/** Sends bytes to the proxy, and gives what it answers until it closes the connection. */
async function exchange(path: string, bytes: string): Promise<string> {
  const socket = connect({ path });
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await new Promise<void>((done) => {
    socket.once('close', () => done());
    socket.on('error', () => {});
  });
  return Buffer.concat(chunks).toString('latin1');
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const get = (url: string, headers = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
const tunnel = (to: string) => `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`;

describe('a session of the proxy', () => {
  test('passes requests to a host that is named with its port, and counts them', async () => {
    const { port, received } = await startServer();
    const { session, path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }]);
    const answer = await exchange(
      path,
      get(`http://127.0.0.1:${port}/a?b=c`, 'X-Own: 1\r\nProxy-Authorization: z\r\n'),
    );
    expect([statusOf(answer), received[0]?.url, received[0]?.headers['x-own']]).toEqual([200, '/a?b=c', '1']);
    expect([received[0]?.headers.host, received[0]?.headers['proxy-authorization']]).toEqual([
      `127.0.0.1:${port}`,
      undefined,
    ]);
    const piped = await exchange(path, `${tunnel(`127.0.0.1:${port}`)}${get('/tunnelled')}`);
    expect([statusOf(piped), received[1]?.url]).toEqual([200, '/tunnelled']);
    expect(session.use()).toEqual([{ host: `127.0.0.1:${port}`, requests: 2, refused: 0 }]);
  });

  test('refuses what is not listed, before it asks a resolver', async () => {
    const { port, received } = await startServer();
    const { session, path } = await startSession([{ host: 'listed.example' }], {
      addresses: { 'other.example': [['93.184.216.34']] },
    });
    const refused = [
      get(`http://127.0.0.1:${port}/`),
      get(`http://localhost:${port}/`),
      get('http://other.example/'),
      get('http://169.254.169.254/latest/meta-data/'),
      get(`http://2130706433:${port}/`),
      get(`http://[::ffff:127.0.0.1]:${port}/`),
      tunnel('listed.example:22'),
      tunnel('other.example:443'),
      tunnel(`127.0.0.1:${port}`),
    ];
    for (const each of refused) expect([each, statusOf(await exchange(path, each))]).toEqual([each, 403]);
    expect(received).toEqual([]);
    expect(session.use().reduce((sum, each) => sum + each.refused, 0)).toBe(refused.length);
  });

  test('connects only to the address that it has judged: a name cannot change it in between', async () => {
    const { port, received } = await startServer();
    const allow = [{ host: 'rebinding.example', ports: [port] }];
    const addresses = {
      'rebinding.example': [['127.0.0.1'], ['10.0.0.1', '169.254.169.254', '::1'], ['93.184.216.34']],
    };
    const { path } = await startSession(allow, { addresses });
    expect(statusOf(await exchange(path, get(`http://rebinding.example:${port}/`)))).toBe(403);
    expect(statusOf(await exchange(path, tunnel(`rebinding.example:${port}`)))).toBe(403);
    expect(received).toEqual([]);
    // The third answer would be a public address; it was asked once per connection.
    expect(addresses['rebinding.example']).toHaveLength(1);
  });

  test.each([
    ['two lengths', 'POST http://H/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 8\r\n\r\nabcd'],
    [
      'a length and chunks',
      'POST http://H/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a hidden encoding', 'POST http://H/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown encoding', 'POST http://H/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'GET http://H/ HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
    ['a bare line feed', 'GET http://H/ HTTP/1.1\nHost: x\n\n'],
    ['a login in the address', 'GET http://H@evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another scheme', 'GET ftp://H/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['only a path', 'GET /anything HTTP/1.1\r\nHost: H\r\n\r\n'],
    ['a destination without a port', 'CONNECT H2 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a destination with a path', 'CONNECT H/x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('refuses a message with %s, and passes nothing on', async (_, message) => {
    const { port, received } = await startServer();
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }]);
    const status = statusOf(
      await exchange(
        path,
        message
          .replaceAll('H2', '127.0.0.1')
          .replaceAll('H/', `127.0.0.1:${port}/`)
          .replaceAll('H@', `127.0.0.1:${port}@`),
      ),
    );
    expect(status).toBeGreaterThanOrEqual(400);
    expect(received).toEqual([]);
  });

  test('asks the rule engine about hosts that are listed, except those of the vendor', async () => {
    const { port, received } = await startServer();
    const own = { ports: [port], isPrivate: true };
    const allow = [
      { host: '127.0.0.1', ...own },
      { host: '127.0.0.2', ...own, isVendor: true },
      { host: '127.0.0.3', ...own },
    ];
    const policy: SessionPolicy = {
      role: 'implement',
      lists: [
        [{ decision: 'deny', host: ['127.0.0.1'], role: ['review'], source: 'policy[0]' }],
        [
          {
            decision: 'deny',
            host: ['127.0.0.1', '127.0.0.2'],
            role: ['implement'],
            reason: 'not there',
            source: 'policy[1]',
          },
          { decision: 'ask', host: ['127.0.0.3'], source: 'policy[2]' },
        ],
      ],
      granted: [],
    };
    const { session, path } = await startSession(allow, { policy });
    const denied = await exchange(path, get(`http://127.0.0.1:${port}/`));
    expect([statusOf(denied), denied]).toEqual([403, expect.stringContaining('not there')]);
    expect(denied).not.toContain('network.allow');
    expect(statusOf(await exchange(path, tunnel(`127.0.0.1:${port}`)))).toBe(403);
    expect(await exchange(path, get(`http://127.0.0.3:${port}/`))).toContain('approval of a person');
    expect(received).toEqual([]);
    // The server listens on the first address alone, but the rules let the connection be tried.
    expect(statusOf(await exchange(path, get(`http://127.0.0.2:${port}/`)))).not.toBe(403);
    session.setRules({ id: 's', allow, routes: [], policy: { ...policy, granted: ['WebFetch 127.0.0.3'] } });
    expect(statusOf(await exchange(path, get(`http://127.0.0.3:${port}/`)))).not.toBe(403);
    session.setRules({ id: 's', allow, routes: [], policy: { ...policy, role: 'test' } });
    expect(statusOf(await exchange(path, get(`http://127.0.0.1:${port}/`)))).toBe(200);
  });

  test('sends a second message on a connection to its own destination', async () => {
    const { port, received } = await startServer();
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }]);
    const first = `GET http://127.0.0.1:${port}/one HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const answers = await exchange(path, `${first}${get('http://10.0.0.1/two')}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    expect(received.map(({ url }) => url)).toEqual(['/one']);
  });

  test('adds a key where it replaces its placeholder, and only for its own upstream', async () => {
    const { port, received } = await startServer();
    const route = {
      name: 'key',
      upstream: `http://127.0.0.1:${port}/base/`,
      keys: [{ placeholder: 'placeholder-1', secret: 'real-secret' }],
    };
    const { session, path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }], {
      routes: [route],
    });
    const headers = 'X-Api-Key: placeholder-1\r\nAuthorization: Bearer placeholder-1\r\n';
    expect(statusOf(await exchange(path, get('/key/v1/messages?key=placeholder-1', headers)))).toBe(200);
    expect(statusOf(await exchange(path, get('http://127.0.0.1:61080/key/v1', headers)))).toBe(200);
    expect(statusOf(await exchange(path, get(`http://127.0.0.1:${port}/direct`, headers)))).toBe(200);
    expect(received.map(({ url, headers: got }) => [url, got['x-api-key'], got.authorization])).toEqual([
      ['/base/v1/messages?key=real-secret', 'real-secret', 'Bearer real-secret'],
      ['/base/v1', 'real-secret', 'Bearer real-secret'],
      ['/direct', 'placeholder-1', 'Bearer placeholder-1'],
    ]);
    expect(session.use()).toEqual([{ host: `127.0.0.1:${port}`, requests: 3, refused: 0 }]);
  });

  test('a key goes into the headers of keys only, below its own address, and no answer repeats it', async () => {
    const { port, received } = await startServer();
    const route = {
      name: 'key',
      upstream: `http://127.0.0.1:${port}/base`,
      keys: [{ placeholder: 'placeholder-1', secret: 'real/secret"1' }],
    };
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }], { routes: [route] });
    const header = (name: string, value: string) => exchange(path, get('/key/v1', `${name}: ${value}\r\n`));
    const answers = [
      await header('Anthropic-Beta', 'placeholder-1'),
      await header('Idempotency-Key', 'placeholder-1'),
      await header('Authorization', 'Other placeholder-1'),
      await exchange(path, get('/key/placeholder-1/v1?other=placeholder-1')),
      await header('X-Api-Key', 'placeholder-1'),
      await exchange(path, get('/key/v1?key=placeholder-1')),
    ];
    expect(received.slice(0, 4).filter((each) => JSON.stringify([each.url, each.headers]).includes('real'))).toEqual(
      [],
    );
    expect([received[4]?.headers['x-api-key'], received[5]?.url]).toEqual([
      'real/secret"1',
      '/base/v1?key=real%2Fsecret%221',
    ]);
    expect(answers.filter((answer) => answer.includes('real'))).toEqual([]);
    expect(answers[4]).toContain('"x-api-key":"**************"');
    for (const up of ['..', '%2e%2E', '.', 'v1/..', 'v1/..?x'])
      expect(statusOf(await exchange(path, get(`/key/${up}`, 'X-Api-Key: placeholder-1\r\n')))).toBe(400);
    expect(received).toHaveLength(6);
  });

  test.each(['real/secret1', 'real%2Fsecret1', 'real%2fsecret1'])('an address does not repeat a key as %s', (form) => {
    const keys = [{ placeholder: 'placeholder-1', secret: 'real/secret1' }];
    expect(withoutKeys(`/?key=${form}&x`, keys)).toBe(`/?key=${'*'.repeat(form.length)}&x`);
  });

  test('an answer in pieces does not repeat a key either, and is otherwise unchanged', async () => {
    const pieces = ['a real-s', 'ecr', 'et-1 b real-sec', 'ond real-secret-'];
    const server = createServer(async (_, response) => {
      response.statusMessage = 'got real-secret-1';
      response.setHeader('X-Got', 'real-secret-1');
      for (const piece of pieces) await new Promise((done) => response.write(piece, () => setTimeout(done, 20)));
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    opened.push(server);
    const { port } = server.address() as AddressInfo;
    const keys = [{ placeholder: 'placeholder-1', secret: 'real-secret-1' }];
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }], {
      routes: [{ name: 'key', upstream: `http://127.0.0.1:${port}`, keys }],
    });
    const [head = '', ...chunks] = (await exchange(path, get('/key/x'))).split('\r\n\r\n');
    expect(head).toContain('X-Got: *************');
    expect(head).toMatch(/^HTTP\/1\.1 200 got \*{13}\r\n/);
    const upgraded = await exchange(path, get('/key/x', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    expect(upgraded).not.toContain('real-secret-1');
    const body = chunks.join('').replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '');
    expect(body).toContain('a ************* b real-second real-secret-');
  });

  test.each([
    ['a status message with control characters', 'HTTP/1.1 200 \u0001\r\nContent-Length: 2\r\n\r\nok'],
    ['a status that is none', 'HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\nok'],
    ['a protocol that was not requested', 'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('a server that answers with %s does not end the proxy', async (_, bytes) => {
    const hostile = createTcp((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes, 'latin1'));
    });
    await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done));
    opened.push(hostile);
    const { port } = hostile.address() as AddressInfo;
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }]);
    expect(statusOf(await exchange(path, get(`http://127.0.0.1:${port}/`)))).toBe(502);
  });

  test('a connection that is made while the session ends is closed, and nothing is sent on it', async () => {
    const { port, received } = await startServer();
    const path = join(temporaryFolder(), 's.sock');
    const resolving = Promise.withResolvers<string[]>();
    const session = openProxySession(
      { id: 's', allow: [{ host: 'slow.example', ports: [port], isPrivate: true }], routes: [] },
      { resolve: () => resolving.promise, onUse: () => {} },
    );
    await new Promise<void>((done) => session.server.listen(path, done));
    const answer = exchange(path, get(`http://slow.example:${port}/late`));
    await new Promise((done) => setTimeout(done, 50));
    session.close();
    resolving.resolve(['127.0.0.1']);
    expect(await answer).toBe('');
    await expect.poll(() => session.use()).toEqual([{ host: `slow.example:${port}`, requests: 1, refused: 1 }]);
    expect(received).toEqual([]);
  });

  test('a key route leads nowhere that the rules do not allow', async () => {
    const { port, received } = await startServer();
    const route = {
      name: 'key',
      upstream: `http://127.0.0.1:${port}`,
      keys: [{ placeholder: 'placeholder-1', secret: 's' }],
    };
    const { path } = await startSession([], { routes: [route] });
    expect(statusOf(await exchange(path, get('/key/v1')))).toBe(403);
    expect(received).toEqual([]);
  });

  test('passes a body of chunks, a large answer and a changed protocol through', async () => {
    const { port, received } = await startServer();
    const { path } = await startSession([{ host: '127.0.0.1', ports: [port], isPrivate: true }]);
    const chunked = `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
    expect(await exchange(path, chunked)).toContain('"body":"hello"');
    expect(received[0]?.headers['transfer-encoding']).toBe('chunked');

    const upgrading = createTcp((socket: Socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi}'),
      );
      socket.on('error', () => {});
    });
    await new Promise<void>((done) => upgrading.listen(0, '127.0.0.1', done));
    opened.push(upgrading);
    const other = (upgrading.address() as AddressInfo).port;
    const route = {
      name: 'ws',
      upstream: `http://127.0.0.1:${other}`,
      keys: [{ placeholder: 'placeholder-1', secret: 's' }],
    };
    const second = await startSession([{ host: '127.0.0.1', ports: [other], isPrivate: true }], { routes: [route] });
    const socket = connect({ path: second.path });
    socket.write('GET /ws/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const answer = await new Promise<string>((done) => {
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk.toString();
        if (got.endsWith('hi}')) done(got);
      });
    });
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  });

  test('counts names beyond a limit together, so that a program cannot fill the record', async () => {
    const { session, path } = await startSession([]);
    for (let at = 0; at < 210; at += 1) await exchange(path, tunnel(`h${at}.example:443`));
    expect(session.use()).toHaveLength(201);
    expect(session.use().at(-1)).toEqual({ host: '(others)', requests: 10, refused: 10 });
  });
});
