import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeToken } from '../../../src/http/login/tokens.ts';
import { realWorld } from '../../../src/world.ts';
import { type Opened, openServer, sendRaw } from '../open-test-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('logging in', () => {
  it('exchanges a code for a cookie that scripts and other sites do not get', async () => {
    await using server = await openServer();
    const response = await logIn(server, { code: await server.code() });
    expect(await response.json()).toEqual({ role: 'operator' });
    expect(response.headers.get('set-cookie')).toMatch(
      /^manyhands-\w+=[0-9a-f]{64}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
  });

  it('takes a code once, however many bring it at the same time', async () => {
    await using server = await openServer();
    const code = await server.code();
    const answers = await Promise.all(Array.from({ length: 8 }, () => logIn(server, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('does not take a code that is too old', async () => {
    let now = realWorld.now();
    await using server = await openServer({ world: { ...realWorld, now: () => now } });
    const code = await server.code();
    now += 11 * 60_000;
    expect((await logIn(server, { code })).status).toBe(401);
  });

  it('takes a token that somebody types, with what it allows', async () => {
    await using server = await openServer();
    const response = await logIn(server, { token: server.tokens.viewer });
    expect(await response.json()).toEqual({ role: 'viewer' });
    const act = await server.ask('/api/runs', { method: 'POST', headers: ours(server, response), body: '{}' });
    expect(act.status).toBe(403);
  });

  it.each([{}, { code: '' }, { code: '../tokens.json' }, { code: 'a', token: 'b' }, [], 'x', { token: '' }])(
    'refuses %j',
    async (shown) => {
      await using server = await openServer();
      expect([400, 401]).toContain((await logIn(server, shown)).status);
    },
  );
});

describe('wrong codes and tokens', () => {
  it('are throttled by address, and a correct token is accepted all the time', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const guess = (index: number) => ({ headers: { authorization: `Bearer ${'0'.repeat(60)}${index}` } });
    const statuses = new Set<number>();
    for (let index = 0; index < 50; index += 1) statuses.add((await server.ask('/api/runs', guess(index))).status);
    expect([...statuses]).toEqual([401, 429]);
    const refused = await logIn(server, { code: 'a'.repeat(32) });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await server.ask('/api/runs')).status).toBe(200);
    expect((await logIn(server, { code: await server.code() })).status).toBe(200);
  });

  it('are throttled in cookies too, without locking out the session of the same address', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const cookie = cookieOf(await logIn(server, { code: await server.code() }));
    const [name] = cookie.split('=');
    const ask = (value: string) => server.ask('/api/runs', { headers: { cookie: value } });
    const statuses = new Set<number>();
    for (let index = 0; index < 250; index += 1)
      statuses.add((await ask(`${name}=${String(index).padStart(64, '0')}`)).status);
    expect([...statuses]).toEqual([401, 429]);
    expect((await ask(cookie)).status).toBe(200);
  });

  it('are read only up to 1 KB', async () => {
    await using server = await openServer();
    expect((await logIn(server, { token: 'x'.repeat(2000) })).status).toBe(413);
    const { status } = await sendRaw(server.port, [
      'POST /login HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'content-type: application/json',
      'transfer-encoding: chunked',
      '',
      '800',
      'x'.repeat(0x800),
      '0',
    ]);
    expect(status).toBe(413);
  });
});

describe('a session', () => {
  it('acts only for a page of ours that says so', async () => {
    await using server = await openServer();
    const cookie = cookieOf(await logIn(server, { code: await server.code() }));
    const act = (headers: Record<string, string>) =>
      server.ask('/api/resume', { method: 'POST', headers: { ...JSON_TYPE, cookie, ...headers }, body: '{}' });
    expect((await act({})).status).toBe(403);
    expect((await act({ origin: server.url })).status).toBe(200);
    expect((await act({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await act({ 'sec-fetch-site': 'none' })).status).toBe(403);
  });

  it('outlives the server', async () => {
    const first = await openServer();
    const cookie = cookieOf(await logIn(first, { code: await first.code() }));
    await first.close();
    await using second = await openServer({ folder: first.folder });
    expect((await second.ask('/api/session', { headers: { cookie } })).status).toBe(200);
  });

  it('ends when its browser logs out', async () => {
    await using server = await openServer();
    const entered = await logIn(server, { code: await server.code() });
    const out = await server.ask('/logout', { method: 'POST', headers: ours(server, entered), body: '{}' });
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await server.ask('/api/session', { headers: { cookie: cookieOf(entered) } })).status).toBe(401);
  });

  it('ends when a token is renewed, and the old token with it, while the server runs', async () => {
    await using server = await openServer();
    const cookie = cookieOf(await logIn(server, { code: await server.code() }));
    const renewed = await takeToken(join(server.folder, 'server'), 'operator', { world: realWorld, renew: true });
    expect((await server.ask('/api/session', { headers: { cookie } })).status).toBe(401);
    expect((await server.ask('/api/session')).status).toBe(401);
    const again = await server.ask('/api/session', { headers: { authorization: `Bearer ${renewed}` } });
    expect(await again.json()).toEqual({ role: 'operator', via: 'token', version: '1.2.3', engine: 'own' });
  });
});

describe('another user of the machine', () => {
  it('can read nothing of it, and no file holds the secret of a session or of a code', async () => {
    await using server = await openServer();
    const code = await server.code();
    const secret = /=(\w+)/.exec(cookieOf(await logIn(server, { token: server.tokens.operator })))?.[1] ?? '';
    const folder = join(server.folder, 'server');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
    const folders = [folder, ...files.filter((file) => statSync(file).isDirectory())];
    expect(folders.map((path) => statSync(path).mode & 0o777)).toEqual(folders.map(() => 0o700));
    const plain = files.filter((file) => statSync(file).isFile());
    expect(plain.length).toBeGreaterThanOrEqual(3);
    expect(plain.map((path) => statSync(path).mode & 0o777)).toEqual(plain.map(() => 0o600));
    for (const file of plain) {
      expect(`${file} ${readFileSync(file, 'utf8')}`).not.toContain(code);
      expect(readFileSync(file, 'utf8')).not.toContain(secret);
    }
  });

  it('finds no old codes lying about', async () => {
    await using server = await openServer();
    await server.code();
    const codes = join(server.folder, 'server', 'codes');
    for (const name of readdirSync(codes)) utimesSync(join(codes, name), 0, 0);
    await server.code();
    expect(readdirSync(codes)).toHaveLength(1);
  });
});

async function logIn(server: Opened, shown: unknown): Promise<Response> {
  return server.ask('/login', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(shown) });
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

function ours(server: Opened, response: Response): Record<string, string> {
  return { ...JSON_TYPE, cookie: cookieOf(response), origin: server.url };
}
