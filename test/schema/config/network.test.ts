import { describe, expect, test } from 'vitest';
import { combinedNetwork, ignoredHostsText } from '../../../src/schema/config/network.ts';
import { Config } from '../../../src/schema/config.ts';

const HASH = 'a'.repeat(64);
const combined = (below: object, project: object) =>
  Config.parse({ network: combinedNetwork({ ...below }, { ...project }, HASH) }).network;

describe("a project's file", () => {
  test.each([
    [{}, { mode: 'open' }, 'listed'],
    [{}, { mode: 'none' }, 'none'],
    [{ mode: 'open' }, { mode: 'listed' }, 'listed'],
    [{ mode: 'open' }, {}, 'open'],
    [{ mode: 'none' }, { mode: 'open' }, 'none'],
  ])('can only tighten the mode: %j with %j', (own, project, mode) => {
    expect(combined({ network: own }, { network: project }).mode).toBe(mode);
  });

  test('names hosts that count only once the person trusts it, and never addresses', () => {
    const project = { network: { allow: ['x.example', '127.0.0.1:80'] }, trust: { '.manyhands/config.yaml': HASH } };
    const untrusted = combined({ network: { allow: ['own.example'] } }, project);
    expect([untrusted.allow, untrusted.derived?.trusted]).toEqual([['own.example'], []]);
    expect(ignoredHostsText(untrusted)).toContain(`trust: { .manyhands/config.yaml: ${HASH} }`);
    const trusted = combined({ trust: { '.manyhands/config.yaml': HASH } }, project);
    expect([trusted.derived?.trusted, ignoredHostsText(trusted)]).toEqual([
      ['x.example'],
      'network.allow of .manyhands/config.yaml (127.0.0.1:80) has no effect, because addresses count only in your own settings',
    ]);
    expect(ignoredHostsText(combined({}, { network: { mode: 'none' } }))).toBeUndefined();
  });

  test("cannot name hosts through agents' settings; the person's own can", () => {
    const agents = { a: { env: { BASE: 'http://127.0.0.1:1/v1' }, args: ['-c', 'base_url="http://localhost:2/v1"'] } };
    const mcp = { m: { url: 'https://mcp.example/x' } };
    expect(combined({}, { agents, mcp }).derived?.named).toEqual([]);
    expect(combined({ agents, mcp }, {}).derived?.named).toEqual(['127.0.0.1:1', 'localhost:2', 'mcp.example:443']);
  });

  test('cannot set what is derived', () => {
    const derived = { trusted: ['evil.example'], named: ['127.0.0.1:1'], ignored: [], hash: '' };
    expect(combined({}, { network: { derived } }).derived).toMatchObject({ trusted: [], named: [] });
  });
});
