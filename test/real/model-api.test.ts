import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import type { Step } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';

type Api = 'anthropic' | 'responses' | 'gemini';

const TOOL = 'look';
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** A minimal request of each API; streamed, and with a tool, unless told otherwise. */
const REQUESTS: Record<Api, (how: { isStream: boolean; tools: string[] }) => { path: string; body: object }> = {
  anthropic: ({ isStream, tools }) => ({
    path: '/v1/messages?beta=true',
    body: {
      model: 'm',
      stream: isStream,
      system: [{ type: 'text', text: 'Rules' }],
      tools: tools.map((name) => ({ name })),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }],
    },
  }),
  responses: ({ isStream, tools }) => ({
    path: '/v1/responses',
    body: {
      model: 'm',
      stream: isStream,
      instructions: 'Rules',
      tools: tools.map((name) => ({ type: 'function', name })),
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] }],
    },
  }),
  gemini: ({ isStream, tools }) => ({
    path: `/v1beta/models/m:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      systemInstruction: { parts: [{ text: 'Rules' }] },
      tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
      contents: [{ role: 'user', parts: [{ text: 'Go' }] }],
    },
  }),
};
const APIS = ['anthropic', 'responses', 'gemini'] as const;
let scenarios = 0;

/** A scenario of its own, and a client for it. */
function play(steps: readonly Step[]) {
  const name = `api-${++scenarios}`;
  const base = server.scenario(name, steps);
  const ask = (api: Api, { isStream = true, tools = [TOOL] } = {}) => {
    const { path, body } = REQUESTS[api]({ isStream, tools });
    const headers = { 'content-type': 'application/json', 'x-api-key': 'secret' };
    return fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  return { name, ask };
}

describe.each(APIS)('the scripted model over the %s API', (api) => {
  it('performs one step per request, then reports that it is done', async () => {
    const { ask } = play([{ say: 'First', call: [{ name: TOOL, args: { at: 'x' } }] }, { say: 'Second' }]);
    const first = await (await ask(api)).text();
    expect(first).toContain('First');
    expect(first).toContain(TOOL);
    expect(await (await ask(api, { isStream: false })).json()).toSatisfy((body) =>
      JSON.stringify(body).includes('Second'),
    );
    expect(await (await ask(api)).text()).toContain('Done');
  });

  it('answers a request without tools independently of the script', async () => {
    const { ask, name } = play([{ say: 'First' }]);
    expect(await (await ask(api, { tools: [] })).text()).toContain('aside');
    expect(await (await ask(api)).text()).toContain('First');
    expect(server.requests(name).map(({ isAside }) => isAside)).toEqual([true, false]);
  });

  it('records requests, without secrets', async () => {
    const { ask, name } = play([]);
    await (await ask(api)).text();
    const expected = { api, model: 'm', system: 'Rules', tools: [TOOL], prompt: 'Go', lastUser: 'Go', turn: 0 };
    expect(server.requests(name)).toEqual([expect.objectContaining(expected)]);
    expect(JSON.stringify(server.requests(name)[0]?.headers)).not.toContain('secret');
  });

  it('bills the tokens of the step', async () => {
    const { ask } = play([{ say: 'x', usage: { in: 4321, out: 765 } }]);
    const reply = await (await ask(api)).text();
    expect(reply).toContain('4321');
    expect(reply).toContain('765');
  });

  it.each([
    ['rate-limit', 429],
    ['auth', 401],
    ['forbidden', 403],
    ['model-not-found', 404],
    ['context-full', 400],
    ['server-error', 500],
  ] as const)('refuses for %s as often as told, then goes on', async (reason, status) => {
    const { ask } = play([{ fault: { kind: 'refusal', reason, times: 2 } }, { say: 'Again' }]);
    expect((await ask(api)).status).toBe(status);
    expect((await ask(api)).status).toBe(status);
    expect(await (await ask(api)).text()).toContain('Again');
  });

  it('disconnects in the middle of an answer', async () => {
    const { ask } = play([{ say: 'x', fault: { kind: 'cut' } }]);
    await expect(ask(api).then((response) => response.text())).rejects.toThrow();
  });

  it.each([
    ['malformed', 'not JSON'],
    ['html', '<html>'],
    ['error-event', 'error'],
  ] as const)('gives an answer that is %s', async (kind, content) => {
    const { ask } = play([{ fault: { kind } }]);
    const response = await ask(api);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(content);
  });

  it('sends an empty answer', async () => {
    const { ask } = play([{ fault: { kind: 'empty' } }]);
    expect(await (await ask(api)).text()).toBe('');
  });
});

describe('the scripted model', () => {
  it('selects the step by prompt and turn if the script is a function', async () => {
    const base = server.scenario('choice', ({ prompt, turn }) => ({ say: `${prompt} ${turn}` }));
    const { path, body } = REQUESTS.anthropic({ isStream: false, tools: [TOOL] });
    const response = await fetch(base + path, { method: 'POST', body: JSON.stringify(body) });
    expect(await response.text()).toContain('Go 0');
  });

  it('does not answer one request and answers the next', async () => {
    const { name, ask } = play([{ fault: { kind: 'silence', times: 1 }, say: 'Second' }]);
    let isAnswered = false;
    const first = ask('anthropic').finally(() => {
      isAnswered = true;
    });
    // It ends with the server.
    first.catch(() => {});
    await server.waitForRequests(name, 1);
    expect(await (await ask('anthropic')).text()).toContain('Second');
    expect(isAnswered).toBe(false);
  });

  it('sends headers and then nothing', async () => {
    const { ask } = play([{ fault: { kind: 'stall' } }]);
    const response = await ask('anthropic');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await response.body?.cancel();
  });

  it('answers a subscription at its limit with the time of the reset', async () => {
    const resetAtSeconds = 2_000_000_000;
    const { ask } = play([{ fault: { kind: 'refusal', reason: 'usage-limit', resetAtSeconds, retryAfterSeconds: 9 } }]);
    const { status, headers } = await ask('anthropic');
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('9');
    expect(headers.get('anthropic-ratelimit-unified-reset')).toBe('2000000000');
  });

  it('provides an address without a listener', async () => {
    await expect(fetch(await closedAddress())).rejects.toThrow('fetch failed');
  });

  it('fails for a request that no scenario expects', async () => {
    const own = await startModelServer();
    expect((await fetch(`${own.url}/t/nobody/v1/messages`, { method: 'POST' })).status).toBe(404);
    expect(() => own.requireNoStrays()).toThrow('/t/nobody/v1/messages');
    await expect(own[Symbol.asyncDispose]()).rejects.toThrow('no scenario expects');
  });

  it('detects and refuses a proxy request to another machine', async () => {
    const own = await startModelServer();
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.write('CONNECT api.example.org:443 HTTP/1.1\r\nHost: api.example.org:443\r\n\r\n');
    expect(await text(socket)).toContain('403 Forbidden');
    expect(own.strays()).toEqual(['CONNECT api.example.org:443 (connect)']);
    await expect(own[Symbol.asyncDispose]()).rejects.toThrow('api.example.org');
  });
});
