import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationRoutes } from '../../../src/http/api/operation-routes.ts';
import { OPERATIONS, STREAMS } from '../../../src/operations/all.ts';
import { listShares, makeShare, type NewShare, removeShare } from '../../../src/store/credentials/shares.ts';
import { realWorld, type World } from '../../../src/world.ts';
import { type Opened, openServer } from '../open-test-server.ts';

const RUN = 'k3v9x2ab';
const OTHER = 'zzzzzzzz';
const DAY_MS = 86_400_000;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a shared link', () => {
  it('logs one browser in once, as a guest of that run', async () => {
    await using server = await openServer({ answer: () => ({ fine: true }) });
    const { code } = await share(server);
    const entered = await logIn(server, { code });
    expect([entered.status, await entered.json()]).toEqual([200, { role: 'guest' }]);
    expect((await logIn(server, { code })).status).toBe(401);
    expect(await statusOf(server, `/api/runs/${RUN}`, cookieOf(entered))).toBe(200);
    const page = await (await server.ask(`/runs/${RUN}`, { headers: { cookie: cookieOf(entered) } })).text();
    expect(page).toContain('<!doctype html>');
  });

  it('waits longer than a login link, until the share ends', async () => {
    let now = realWorld.now();
    const world: World = { ...realWorld, now: () => now };
    await using server = await openServer({ world, answer: () => ({}) });
    const { code } = await share(server, { world });
    const late = await share(server, { world });
    const codes = join(server.folder, 'server', 'codes');
    for (const name of readdirSync(codes)) utimesSync(join(codes, name), 0, 0);
    await server.code();
    now += 6 * DAY_MS;
    const entered = await logIn(server, { code });
    expect(entered.status).toBe(200);
    now += DAY_MS;
    expect(await statusOf(server, `/api/runs/${RUN}`, cookieOf(entered))).toBe(401);
    expect((await logIn(server, { code: late.code })).status).toBe(401);
    expect(await listShares(join(server.folder, 'server'), world)).toEqual([]);
  });

  it('is of no use after it was revoked, nor are its logins and its token', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const [first, second] = [await share(server), await share(server)];
    const cookie = cookieOf(await logIn(server, { code: first.code }));
    for (const { share: each } of [first, second]) await removeShare(join(server.folder, 'server'), each.id, realWorld);
    expect(await statusOf(server, `/api/runs/${RUN}`, cookie)).toBe(401);
    expect((await logIn(server, { code: second.code })).status).toBe(401);
    const byToken = await server.ask(`/api/runs/${RUN}`, { headers: { authorization: `Bearer ${first.token}` } });
    expect(byToken.status).toBe(401);
  });

  it('leaves an operator who opens it an operator, and adds to the runs of a guest', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const own = cookieOf(await logIn(server, { code: await server.code() }));
    const guest = cookieOf(await logIn(server, { code: (await share(server)).code }, own));
    const session = async (cookie: string) => (await server.ask('/api/session', { headers: { cookie } })).json();
    expect(await session(`${own}; ${guest}`)).toMatchObject({ role: 'operator' });
    const both = cookieOf(await logIn(server, { code: (await share(server, { run: OTHER })).code }, guest));
    expect(await session(both)).toMatchObject({ role: 'guest', bound: { to: 'runs', runs: [RUN, OTHER] } });
    expect([
      await statusOf(server, `/api/runs/${RUN}`, both),
      await statusOf(server, `/api/runs/${OTHER}`, both),
    ]).toEqual([200, 200]);
  });

  it('ends with the logout of its browser', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const cookie = cookieOf(await logIn(server, { code: (await share(server)).code }));
    const headers = { ...JSON_TYPE, cookie, origin: server.url };
    expect((await server.ask('/logout', { method: 'POST', headers, body: '{}' })).status).toBe(200);
    expect(await statusOf(server, `/api/runs/${RUN}`, cookie)).toBe(401);
  });

  it('stores no secret, and never pushes out the sessions of operators', async () => {
    await using server = await openServer({ answer: () => ({}) });
    const own = cookieOf(await logIn(server, { code: await server.code() }));
    const { token, code } = await share(server);
    for (let index = 0; index < 201; index += 1) await logIn(server, { token });
    expect(await statusOf(server, '/api/runs', own)).toBe(200);
    const folder = join(server.folder, 'server');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
      /\.json$/.test(each),
    )) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(token);
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(code);
    }
  });
});

describe('a guest', () => {
  it('reaches of every route only those of its run that the operation opens to guests', async () => {
    await using server = await openServer({ answer: () => ({ fine: true }) });
    const { token } = await share(server);
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
    const opened: string[] = [];
    for (const { method, path, kind, name } of operationRoutes()) {
      const allowed = (kind === 'operation' ? OPERATIONS[name] : STREAMS[name]).allow.includes('guest');
      for (const run of [RUN, OTHER, RUN.slice(0, 4), RUN.toUpperCase(), `mh%2F${RUN}`, '']) {
        const url = path.replace('{run}', run).replaceAll(/\{\w+\}/g, 'x');
        const body = method === 'GET' ? {} : { body: '{}' };
        const answer = await server.ask(url, { method, headers, ...body });
        void answer.body?.cancel();
        if (answer.status === 200) opened.push(`${name} ${run}`);
        if (allowed && run === RUN) expect(answer.status, url).toBe(200);
      }
    }
    expect(opened.every((each) => each.endsWith(` ${RUN}`))).toBe(true);
    expect(server.calls.filter(({ input }) => (input as { run?: string }).run !== RUN)).toEqual([]);
  });

  it.each([
    `/api/runs/${RUN}?dir=%2Fhome`,
    `/api/runs/${OTHER}/events`,
    '/api/runs/stream',
    `/api/runs/${RUN}/judgement?opinions=${OTHER}`,
    `/api/streams?stream=${encodeURIComponent(`/api/runs/${OTHER}/events`)}`,
    `/api/streams?stream=${encodeURIComponent(`/api/runs/${RUN}/events`)}&stream=${encodeURIComponent('/api/runs/stream')}`,
    `/api/runs/${RUN}/tasks/x/terminal`,
    `/api/runs/${RUN}/changes/unsaved`,
    '/api/search?text=a',
    '/api/settings',
    '/api/shares',
  ])('does not get %s', async (path) => {
    await using server = await openServer({ answer: () => ({ fine: true }) });
    const { token } = await share(server);
    const { status } = await server.ask(path, { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(403);
    expect(server.calls).toEqual([]);
  });

  it('has no tools and shares nothing further', async () => {
    await using server = await openServer({ answer: () => ({ fine: true }) });
    const { token } = await share(server);
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
    for (const path of ['/mcp', `/api/runs/${RUN}/share`, `/api/runs/${RUN}/approve`, '/api/nothing'])
      expect((await server.ask(path, { method: 'POST', headers, body: '{}' })).status, path).toBe(403);
    expect(server.calls).toEqual([]);
  });
});

function share(server: Opened, { run = RUN, world = realWorld } = {}): Promise<NewShare> {
  return makeShare(join(server.folder, 'server'), { run, lastsMs: 7 * DAY_MS }, world);
}

async function logIn(server: Opened, shown: unknown, cookie = ''): Promise<Response> {
  const headers = cookie === '' ? JSON_TYPE : { ...JSON_TYPE, cookie };
  return server.ask('/login', { method: 'POST', headers, body: JSON.stringify(shown) });
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

async function statusOf(server: Opened, path: string, cookie: string): Promise<number> {
  return (await server.ask(path, { headers: { cookie } })).status;
}
