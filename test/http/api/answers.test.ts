import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { operationRoutes } from '../../../src/http/api/operation-routes.ts';
import { type Opened, openServer, sendRaw } from '../open-test-server.ts';

const NASTY = '<script>alert(1)</script>"\u2028\u2029</style>\u001b[31m';

describe('an operation', () => {
  it('gets what path and query say, each as its schema wants it', async () => {
    await using server = await openServer();
    await server.ask('/api/runs?limit=5&flagged=true&dir=%2Fa%20b');
    await server.ask('/api/benches/plan?dir=/a&agents=x&agents=y&budget=2.5');
    await server.ask('/api/runs/k3v9x2ab/tasks/implement%2F1.2');
    expect(server.calls).toEqual([
      { name: 'list-runs', input: { limit: 5, flagged: true, dir: '/a b' } },
      { name: 'plan-bench', input: { dir: '/a', agents: ['x', 'y'], budget: 2.5 } },
      { name: 'show-task', input: { run: 'k3v9x2ab', task: 'implement/1.2' } },
    ]);
  });

  it('gets what path and body say', async () => {
    await using server = await openServer();
    await act(server, 'POST', '/api/pull-requests/7/review', { options: { dir: '/a' } });
    await act(server, 'DELETE', '/api/collections/a%25b', { dir: '/a' });
    expect(server.calls).toEqual([
      { name: 'review-pull-request', input: { number: 7, options: { dir: '/a' } } },
      { name: 'remove-collection', input: { name: 'a%b', dir: '/a' } },
    ]);
  });

  it.each([
    ['/api/runs?limit=many', 'limit must be a number, not "many"'],
    ['/api/runs?flagged=yes', 'flagged must be true or false, not "yes"'],
    ['/api/runs?limt=5', '/api/runs has no parameter limt'],
    ['/api/runs?limit=1&limit=2', 'limit is given more than once'],
    ['/api/runs/a?run=b', '/api/runs/{run} has no parameter run'],
    ['/api/runs?__proto__=1', '/api/runs has no parameter __proto__'],
    ['/api/runs?dir=%00', 'dir contains a NUL character'],
  ])('refuses %s with the reason', async (path, detail) => {
    await using server = await openServer();
    const response = await server.ask(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'REQUEST_INVALID', detail });
  });

  it.each([
    ['not json', '{', 400],
    ['a list', '[]', 400],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['what the path names already', '{"run":"other"}', 400],
    ['a word that it does not know', '{"reasn":"late"}', 400],
    ['nested without end', `{"a":${'['.repeat(10_000)}"]"${']'.repeat(10_000)}}`, 400],
    ['text with the character that ends names', '{"dir":"/tmp\\u0000"}', 400],
  ])('refuses a body that is %s', async (_, body, status) => {
    await using server = await openServer();
    const response = await server.ask('/api/runs/k3v/cancel', {
      method: 'POST',
      headers: { authorization: `Bearer ${server.tokens.operator}`, 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(status);
    expect(server.calls).toEqual([]);
  });

  it('refuses a misspelt option of a run, which would else not hold', async () => {
    await using server = await openServer();
    const options = { dir: '/a', budgt: 3 };
    const response = await act(server, 'POST', '/api/runs', { recipe: 'goal', input: { goal: 'Add prices' }, options });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: '/api/runs has no parameter options.budgt' });
    expect(server.calls).toEqual([]);
  });

  it('does not read a body without end', async () => {
    await using server = await openServer();
    const head = [
      `POST /api/runs HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.tokens.operator}`,
      'Content-Type: application/json',
    ];
    const promised = await sendRaw(server.port, [...head, 'Content-Length: 99999999999']);
    expect(promised.status).toBe(413);
    const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}`;
    const endless = await sendRaw(server.port, [
      ...head,
      'Transfer-Encoding: chunked',
      '',
      ...Array(18).fill(chunk),
      '0',
    ]);
    expect([413, 0]).toContain(endless.status);
    expect(server.calls).toEqual([]);
  });

  it('packs a long answer for whoever can unpack it, and no other', async () => {
    const tasks = Array.from({ length: 2_000 }, (_, index) => `implement/${index} ü`);
    await using server = await openServer({ answer: ({ name }) => (name === 'run-state' ? tasks : ['short']) });
    const authorization = `Bearer ${server.tokens.operator}`;
    const ask = (path: string, encoding: string) =>
      server.ask(path, { headers: { authorization, 'accept-encoding': encoding } });
    const long = '/api/runs/k3v9x2ab/state';
    const answers = [await ask(long, 'gzip, br'), await ask(long, 'identity'), await ask('/api/runs', 'gzip')];
    expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null, null]);
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual(Array(3).fill('accept-encoding'));
    expect(await answers[0]?.json()).toEqual(tasks);
    expect(await answers[1]?.json()).toEqual(tasks);
  });

  it('answers failures as problems of the table', async () => {
    const thrown = [new AppError('RUN_UNKNOWN', 'There is no run zzz', { run: 'zzz' }), new Error('boom')];
    await using server = await openServer({
      answer: () => {
        throw thrown.shift() ?? new Error('again');
      },
    });
    const known = await server.ask('/api/runs/zzz');
    expect(known.status).toBe(404);
    expect(known.headers.get('content-type')).toBe('application/problem+json');
    expect(await known.json()).toEqual({
      type: '/api/docs#RUN_UNKNOWN',
      title: 'Run unknown',
      status: 404,
      detail: 'There is no run zzz',
      code: 'RUN_UNKNOWN',
      hint: expect.any(String),
      details: { run: 'zzz' },
    });
    expect(await (await server.ask('/api/runs/zzz')).json()).toMatchObject({ status: 500, code: 'INTERNAL' });
  });

  it('names the methods of a route that has others', async () => {
    await using server = await openServer();
    const response = await act(server, 'PUT', '/api/runs', {});
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([
      405,
      ['GET', 'HEAD', 'POST'],
    ]);
    expect((await server.ask('/api/nothing')).status).toBe(404);
  });
});

describe('text of an agent', () => {
  it('is JSON wherever it comes from, and no browser takes it for anything else', async () => {
    await using server = await openServer({ answer: () => ({ text: NASTY }) });
    for (const { path, kind } of operationRoutes().filter(({ method }) => method === 'GET')) {
      if (kind === 'stream') continue;
      const response = await server.ask(path.replaceAll(/\{\w+\}/g, '7'));
      expect(response.headers.get('content-type'), path).toBe('application/json; charset=utf-8');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await response.json()).toEqual({ text: NASTY });
    }
  });

  it('cannot leave its line of a stream', async () => {
    await using server = await openServer({
      stream: async function* () {
        yield { id: 1, text: `a\n\nevent: end\ndata: {}\n\n${NASTY}` };
      },
    });
    const message = await (await server.ask('/api/runs/k3v9x2ab/logs')).text();
    expect(message.match(/^event: end$/gm)).toHaveLength(1);
    expect(message.match(/^data: /gm)).toHaveLength(2);
  });

  it('in the name of a path stays text in the problem', async () => {
    await using server = await openServer();
    const response = await server.ask('/api/%3Cscript%3Ealert(1)%3C%2Fscript%3E');
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});

describe('the page', () => {
  it('may load its own files alone, and carries a nonce of its own each time', async () => {
    await using server = await openServer();
    const pages = await Promise.all([1, 2].map(() => server.ask('/runs/abc')));
    const nonces = await Promise.all(pages.map(async (page) => /content="([\w-]{36})"/.exec(await page.text())?.[1]));
    expect(nonces[0]).not.toBe(nonces[1]);
    const policy = pages[0]?.headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`style-src 'self' 'nonce-${nonces[0]}'`);
    expect(policy).toMatch(/script-src 'self'(?: 'sha256-[\w+/]{43}=')?;/);
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it('has files that a browser keeps, and no others', async () => {
    await using server = await openServer();
    const file = await server.ask('/main-ABCD1234.js');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect((await file.text()).startsWith('export const a')).toBe(true);
    expect((await server.ask('/tokens.json')).status).toBe(404);
    const page = await (await server.ask('/runs/k3v9x2ab/tasks/implement%2F1.2')).text();
    for (const path of ['/server/tokens.json', '/page/main-ABCD1234.js']) {
      const shown = await (await server.ask(path)).text();
      expect(withoutNonce(shown), path).toBe(withoutNonce(page));
    }
    expect((await server.ask('/index.html')).status).toBe(404);
  });

  it('of the login loads nothing but its own files either', async () => {
    await using server = await openServer();
    for (const path of ['/login', '/login.js', '/login.css', '/api/docs', '/api/docs.css']) {
      const response = await server.ask(path);
      expect(response.headers.get('content-security-policy'), path).toContain("default-src 'none'");
      const text = await response.text();
      expect(text, path).not.toMatch(/<style|style="|onclick|<script>|https?:\/\//);
    }
  });
});

function withoutNonce(page: string): string {
  return page.replace(/content="[\w-]{36}"/, '');
}

function act(server: Opened, method: string, path: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${server.tokens.operator}`, 'content-type': 'application/json' };
  return server.ask(path, { method, body: JSON.stringify(body), headers });
}
