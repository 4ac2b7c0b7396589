import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { queryLinear } from '../../src/integrations/linear.ts';

const { signal } = new AbortController();
const ISSUE = {
  identifier: 'ENG-1',
  title: 'A cart',
  url: 'https://linear.app/x/ENG-1',
  priorityLabel: 'High',
  description: 'x'.repeat(20_000),
  state: { name: 'Todo' },
  assignee: null,
  labels: { nodes: [{ name: 'bug' }] },
};

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('Linear', () => {
  it('gets a query of ours with the text of the agent as a variable, and its issues are bounded', async () => {
    const received: { query: string; variables: unknown; key: string | undefined }[] = [];
    using server = await serving(async (request, response) => {
      const { query, variables } = JSON.parse(await text(request));
      received.push({ query, variables, key: request.headers.authorization });
      response.end(JSON.stringify({ data: { issue: ISSUE } }));
    });
    const attack = '") { id } } mutation { issueDelete(id: "ENG-1") { success } } #';
    const answer = await queryLinear({ key: 'lin_key', url: server.url }, { issue: attack }, signal);
    expect(received).toEqual([{ query: expect.stringMatching(/^query\(/), variables: { id: attack }, key: 'lin_key' }]);
    expect(received[0]?.query).not.toContain('mutation');
    expect(answer).toMatchObject({ ok: true, issues: [{ id: 'ENG-1', state: 'Todo', labels: ['bug'], comments: [] }] });
    expect(answer.ok && answer.issues[0]?.description.length).toBeLessThan(9_000);
  });

  it.each([
    ['an error', 200, '{"errors":[{"message":"Entity not found"}]}', 'Entity not found'],
    ['a refused key', 401, '{}', 'answered 401'],
    ['an answer of another form', 200, '{"data":{"issue":{"nonsense":1}}}', 'unexpected response'],
    ['an answer that is too long', 200, `"${'x'.repeat(2_000_000)}"`, 'too long'],
  ])('says what is wrong with %s', async (_, status, body, reason) => {
    using server = await serving((_request, response) => {
      response.statusCode = status;
      response.end(body);
    });
    const answer = await queryLinear({ key: 'k', url: server.url }, { search: 'cart', limit: 5 }, signal);
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('sends its key neither to a redirect nor without encryption', async () => {
    using other = await serving((_request, response) => response.end('{"data":{"issue":null}}'));
    using server = await serving((_request, response) => response.writeHead(307, { Location: other.url }).end());
    expect(await queryLinear({ key: 'k', url: server.url }, { issue: 'A-1' }, signal)).toMatchObject({ ok: false });
    const plain = await queryLinear({ key: 'k', url: 'http://linear.example/graphql' }, { issue: 'A-1' }, signal);
    expect(plain).toMatchObject({ ok: false, reason: expect.stringContaining('not an https address') });
  });
});
