import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operationRoutes } from '../../src/http/api/operation-routes.ts';
import { openAssets } from '../../src/http/assets.ts';
import { openAccess } from '../../src/http/login/access.ts';
import { PUBLIC_ROUTES } from '../../src/http/login/login-routes.ts';
import { API_PAGES, createRouter } from '../../src/http/router.ts';
import { OPERATIONS, STREAMS } from '../../src/operations/all.ts';
import { ROUTES } from '../../src/operations/routes.generated.ts';
import { realWorld } from '../../src/world.ts';
import { type Opened, openServer, sendRaw } from './open-test-server.ts';

let server: Opened;
beforeAll(async () => {
  server = await openServer({ answer: () => ({ fine: true }) });
});
beforeEach(() => void server.calls.splice(0));
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

type Place = { method: string; path: string };

const REGISTRY = operationRoutes().map(({ method, path }) => ({ method, path: filled(path) }));
const BY_HAND = [...API_PAGES, 'POST /logout', 'POST /mcp'].map(placeOf);
const PAGES = ['GET /', 'GET /runs/abc', 'GET /main-ABCD1234.js', 'GET /index.html', 'GET /nothing.js'].map(placeOf);
const UNUSUAL = [
  'GET /api/nothing',
  'POST /api/nothing',
  'POST /',
  'DELETE /login',
  'PATCH /api/runs',
  'OPTIONS /api/runs',
  'GET /API/RUNS',
  'GET /api',
  'GET /mcp',
].map(placeOf);
const OPEN = PUBLIC_ROUTES.map(placeOf);
const CLOSED = [...REGISTRY, ...BY_HAND, ...PAGES, ...UNUSUAL];

describe('the table of routes', () => {
  it('names every operation and stream, and nothing else', () => {
    const names = [...Object.keys(OPERATIONS), ...Object.keys(STREAMS)].sort();
    expect(Object.keys(ROUTES).sort()).toEqual(names);
  });

  it('lets nothing act by GET that the engine does', () => {
    const acting = operationRoutes().filter(
      ({ kind, name }) => kind === 'operation' && OPERATIONS[name].where !== 'anywhere',
    );
    expect(acting.filter(({ method }) => method === 'GET')).toEqual([]);
  });

  it('is what the router serves: these tests know every route', async () => {
    const access = await openAccess(server.folder, realWorld);
    const router = createRouter({
      caller: { ...refusing },
      access,
      assets: openAssets(server.folder),
      world: realWorld,
      version: '1',
      identityOf: () => undefined,
      closing: new AbortController().signal,
    });
    const known = new Set([
      ...operationRoutes().flatMap(({ method, path }) => [`${method} ${path}`, `ALL ${path}`]),
      ...[...BY_HAND, ...OPEN].map(({ method, path }) => `${method} ${path}`),
      'ALL /api/*',
      'ALL /mcp',
      'GET /*',
    ]);
    const served = router.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(served.filter((route) => !known.has(route))).toEqual([]);
  });
});

describe('without a login', () => {
  afterEach(askedForNothing);

  it.each(CLOSED)('refuses $method $path', async ({ method, path }) => {
    const { status } = await plain(method, path);
    expect(status).toBe(401);
  });

  it.each(OPEN)('shows the way in: $method $path', async ({ method, path }) => {
    const { status, answer } = await plain(method, path);
    expect(status).toBe(method === 'GET' ? 200 : 400);
    expect(answer).not.toContain(server.tokens.operator);
  });

  it('shows a person how to log in, whatever page they ask for', async () => {
    const response = await server.ask('/runs/abc', { headers: { accept: 'text/html,*/*' } });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('manyhands serve');
  });

  it.each(['Bearer ', 'Bearer x', 'Basic b3BlcmF0b3I6', `Bearer ${'0'.repeat(63)}`])(
    'does not take the header %s',
    async (authorization) => {
      expect((await server.ask('/api/runs', { headers: { authorization } })).status).toBe(401);
    },
  );

  it("does not take the token of an agent's attempt", async () => {
    const authorization = `Bearer ${realWorld.token()}`;
    const response = await server.ask('/api/runs', {
      headers: { authorization, 'x-manyhands-token': realWorld.token() },
    });
    expect(response.status).toBe(401);
  });

  it("asks for nothing but a record where the header may be the token of an attempt's tools", async () => {
    const token = `k3v9x2ab-1-1.${'0'.repeat(64)}`;
    const response = await server.ask('/api/runs', { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(401);
    const what = 'GET /api/runs with the token of its tools';
    expect(server.calls.splice(0)).toEqual([{ name: 'record-refusal', input: { what, by: { token } } }]);
  });
});

describe('with the token of an operator, from elsewhere', () => {
  const everything = [...CLOSED, ...OPEN];
  afterEach(askedForNothing);

  it.each(everything)('refuses another Host: $method $path', async ({ method, path }) => {
    for (const host of [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${server.port}`,
      '',
    ])
      expect((await raw(method, path, [`Host: ${host}`])).status, host).toBe(403);
  });

  it.each(everything)('refuses another Origin: $method $path', async ({ method, path }) => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      `https://127.0.0.1:${server.port}`,
      `http://localhost:${server.port}`,
    ])
      expect((await raw(method, path, [ourHost(), `Origin: ${origin}`])).status, origin).toBe(403);
  });

  it.each(everything)('refuses what another page causes: $method $path', async ({ method, path }) => {
    for (const site of ['cross-site', 'same-site'])
      expect((await raw(method, path, [ourHost(), `Sec-Fetch-Site: ${site}`])).status, site).toBe(403);
  });

  it.each(everything)('refuses to climb: $method $path', async ({ method, path }) => {
    for (const climb of [
      '/../x',
      '/%2e%2e/x',
      '/%2e%2e%2fx',
      '/..%2fx',
      '/%252e%252e/x',
      '/.%2e/x',
      '/..\\x',
      '/%5c..%5cx',
      '/%00',
    ])
      expect((await raw(method, `${path}${climb}`, [ourHost()])).status, climb).toBe(400);
  });

  it.each(CLOSED.filter(({ method }) => method !== 'GET'))(
    'refuses what a form can send: $method $path',
    async ({ method, path }) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain;application/json',
      ])
        expect((await raw(method, path, [ourHost(), `Content-Type: ${type}`])).status, type).toBe(415);
      const bare = await sendRaw(server.port, [`${method} ${path} HTTP/1.1`, ourHost(), bearer(), 'Connection: close']);
      expect(bare.status).toBe(415);
    },
  );

  it.each(everything)('refuses to change protocols: $method $path', async ({ method, path }) => {
    const { status } = await raw(method, path, [
      ourHost(),
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: x',
      'Sec-WebSocket-Version: 13',
    ]);
    expect(status).toBe(403);
  });

  it('refuses a proxy request, and a tunnel', async () => {
    expect((await raw('GET', `http://127.0.0.1:${server.port}/api/runs`, [ourHost()])).status).toBe(400);
    expect((await raw('CONNECT', `127.0.0.1:${server.port}`, [ourHost()])).status).toBe(403);
  });

  it('says that headers or an address are too long', async () => {
    expect((await raw('GET', '/api/runs', [ourHost(), `X-Long: ${'a'.repeat(20_000)}`])).status).toBe(413);
    expect((await raw('GET', `/api/runs?${'a'.repeat(20_000)}`, [ourHost()])).status).toBe(413);
  });

  it('refuses two names at once', async () => {
    for (const other of ['Host: evil.example', ourHost()])
      expect((await raw('GET', '/api/runs', [ourHost(), other])).status).toBe(400);
  });

  it('lets another page open the login page, and do nothing with it', async () => {
    const visit = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
    expect((await raw('GET', '/login', [ourHost(), ...visit])).status).toBe(200);
    const elsewhere = await raw('GET', '/runs/abc', [ourHost(), ...visit, 'Accept: text/html']);
    expect([elsewhere.status, elsewhere.answer.includes('manyhands serve')]).toEqual([401, true]);
    expect((await raw('GET', '/api/runs', [ourHost(), ...visit])).status).toBe(403);
    expect(
      (
        await raw('GET', '/login', [
          ourHost(),
          'Sec-Fetch-Site: cross-site',
          'Sec-Fetch-Mode: navigate',
          'Sec-Fetch-Dest: iframe',
        ])
      ).status,
    ).toBe(403);
  });
});

describe('with the token of a viewer', () => {
  it.each([...REGISTRY, ...UNUSUAL].filter(({ method }) => method !== 'GET'))(
    'refuses to act: $method $path',
    async ({ method, path }) => {
      const { status } = await raw(method, path, [ourHost()], server.tokens.viewer);
      expect(status).toBe(403);
    },
  );

  it.each(REGISTRY.filter(({ method }) => method === 'GET'))(
    'looks into no folder that is no project with runs: $method $path',
    async ({ method, path }) => {
      await using known = await openServer({
        answer: ({ name }) => (name === 'list-projects' ? [{ root: '/a' }] : {}),
      });
      const look = (dir: string) =>
        sendRaw(known.port, [
          `${method} ${path}?dir=${dir}`.concat(' HTTP/1.1'),
          `Host: 127.0.0.1:${known.port}`,
          bearer(known.tokens.viewer),
          'Connection: close',
        ]);
      const statuses = await Promise.all(['/a', '/a/b', '/a/../b', '/'].map(async (dir) => (await look(dir)).status));
      expect([
        [200, 403, 403, 403],
        [400, 400, 400, 400],
        [403, 403, 403, 403],
      ]).toContainEqual(statuses);
      expect(known.calls.filter(({ name }) => name !== 'list-projects').length).toBeLessThanOrEqual(1);
    },
  );

  it('lets look', async () => {
    expect(
      (await server.ask('/api/runs', { headers: { authorization: `Bearer ${server.tokens.viewer}` } })).status,
    ).toBe(200);
  });
});

const refusing = {
  engine: () => 'none' as const,
  call: async () => {
    throw new Error('not asked');
  },
  stream: () => {
    throw new Error('not asked');
  },
  batches: () => {
    throw new Error('not asked');
  },
  drain: async () => {},
  stop: async () => {},
  leave: async () => {},
  ending: new AbortController().signal,
  [Symbol.asyncDispose]: async () => {},
};

/** What was refused never reached the caller. */
function askedForNothing(): void {
  expect(server.calls).toEqual([]);
}

function placeOf(route: string): Place {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
}

function filled(path: string): string {
  return path
    .replace('{run}', 'k3v9x2ab')
    .replace('{task}', 'implement%2F1.2')
    .replace('{number}', '7')
    .replace('{name}', 'a');
}

function ourHost(): string {
  return `Host: 127.0.0.1:${server.port}`;
}

function bearer(token = server.tokens.operator): string {
  return `Authorization: Bearer ${token}`;
}

async function plain(method: string, path: string): Promise<{ status: number; answer: string }> {
  const json = ['Content-Type: application/json', 'Content-Length: 2', 'Connection: close', '', '[]'];
  return sendRaw(server.port, [`${method} ${path} HTTP/1.1`, ourHost(), ...json]);
}

/** With a good token, and JSON unless the headers say otherwise. */
async function raw(
  method: string,
  path: string,
  headers: string[],
  token?: string,
): Promise<{ status: number; answer: string }> {
  const type = headers.some((header) => /^content-type/i.test(header)) ? [] : ['Content-Type: application/json'];
  const end = headers.some((header) => /^connection/i.test(header)) ? [] : ['Connection: close'];
  return sendRaw(server.port, [
    `${method} ${path} HTTP/1.1`,
    bearer(token),
    'Content-Length: 0',
    ...type,
    ...headers,
    ...end,
  ]);
}
