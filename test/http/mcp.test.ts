import { describe, expect, it } from 'vitest';
import { type Opened, openServer, sendRaw } from './open-test-server.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function ask(server: Opened, message: object, token = server.tokens.operator) {
  const answer = await server.ask('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'codex/1.2 (linux)',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await answer.text();
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');
  return { status: answer.status, body: JSON.parse(json) };
}

const call = (name: string, input: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('/mcp', () => {
  it('initializes, lists and calls tools behind the login', async () => {
    await using server = await openServer({ answer: ({ name }) => ({ name }) });
    expect((await ask(server, INITIALIZE)).body.result.serverInfo.name).toBe('manyhands');
    const { tools } = (await ask(server, { method: 'tools/list' })).body.result;
    expect(tools.map(({ name }: { name: string }) => name)).toContain('start_run');
    const { body } = await ask(server, call('show_run', { run: 'a' }));
    expect(JSON.parse(body.result.content[0].text)).toEqual({ name: 'show-run' });
    expect(server.calls).toEqual([{ name: 'show-run', input: { run: 'a' } }]);
  });

  it('gives a viewer the tools that read', async () => {
    await using server = await openServer();
    const { body } = await ask(server, { method: 'tools/list' }, server.tokens.viewer);
    const names = body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('compact_run');
    expect(names).not.toContain('start_run');
    const refused = await ask(server, call('start_run'), server.tokens.viewer);
    expect(refused.body.result).toMatchObject({ isError: true });
    expect(server.calls).toEqual([]);
  });

  it('refuses other hosts, other origins, no login, a wrong token, other methods and a long body', async () => {
    await using server = await openServer();
    const head = (...lines: string[]) => sendRaw(server.port, ['POST /mcp HTTP/1.1', 'connection: close', ...lines]);
    const json = [
      'content-type: application/json',
      'content-length: 0',
      `authorization: Bearer ${server.tokens.operator}`,
    ];
    const own = `host: 127.0.0.1:${server.port}`;
    expect((await head('host: evil.example', ...json)).status).toBe(403);
    expect((await head(own, 'origin: http://evil.example', ...json)).status).toBe(403);
    expect((await head(own, ...json.slice(0, 2))).status).toBe(401);
    const code = 'f'.repeat(64);
    const token = `k3v9q2xa-1-1.${code}`;
    for (const sent of [code, token])
      expect((await head(own, ...json.slice(0, 2), `authorization: Bearer ${sent}`)).status).toBe(401);
    expect((await head(own, json[0] ?? '', json[2] ?? '', 'content-length: 100000000')).status).toBe(413);
    for (const headers of [
      { accept: 'text/html' },
      { authorization: `Bearer ${server.tokens.operator}`, accept: 'text/html' },
    ]) {
      const page = await server.ask('/mcp', { headers });
      expect([401, 405]).toContain(page.status);
      expect(page.headers.get('content-type')).toContain('json');
    }
    expect((await server.ask('/mcp', { method: 'GET' })).headers.get('allow')).toBe('POST');
    const what = 'POST /mcp with the token of its tools';
    expect(server.calls).toEqual([{ name: 'record-refusal', input: { what, by: { token } } }]);
  });
});
