import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withoutUserServers } from '../../../src/agents/acp/program-settings.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { PLAIN_SETTINGS } from '../../contracts/attempt.ts';

const home = mkdtempSync(join(tmpdir(), 'mh-acp-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, '.codex'));
mkdirSync(join(home, '.config', 'opencode'), { recursive: true });
writeFileSync(
  join(home, '.codex', 'config.toml'),
  '[mcp_servers.mail]\ncommand = "m"\n[mcp_servers.manyhands]\ncommand = "mh"\n',
);
writeFileSync(
  join(home, '.config', 'opencode', 'opencode.json'),
  JSON.stringify({ mcp: { mail: { type: 'local', command: ['m'] }, manyhands: { type: 'local', command: ['mh'] } } }),
);

const OURS = { manyhands: { command: 'serve', args: [], env: {} } };
const startOf = (command: string) =>
  withoutUserServers(AgentConfig.parse({ kind: 'acp', command }), {
    own: { HOME: home },
    settings: { ...PLAIN_SETTINGS, mcp: OURS },
  });

describe("a program over ACP starts without its user's MCP servers", () => {
  it('as OpenCode: they are disabled, and ours has another name', () => {
    const { env, sessionMcp } = startOf('opencode');
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}')).toMatchObject({
      mcp: { mail: { enabled: false }, manyhands: { enabled: false } },
    });
    expect(Object.keys(sessionMcp)).toEqual(['manyhands_attempt']);
  });

  it('as Codex: they are disabled in its configuration', () => {
    const { mcp_servers: servers } = JSON.parse(startOf('codex-acp').env.CODEX_CONFIG ?? '{}');
    expect(servers).toMatchObject({ mail: { enabled: false }, manyhands: { enabled: false } });
    expect(Object.keys(servers)).toContain('manyhands_attempt');
  });

  it('as Gemini: only ours are allowed', () => {
    expect(startOf('gemini').args).toEqual(['--allowed-mcp-server-names', 'manyhands']);
  });
});
