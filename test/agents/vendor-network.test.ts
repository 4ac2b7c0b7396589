import { describe, expect, test } from 'vitest';
import type { AgentNetwork } from '../../src/agents/agent.ts';
import {
  acpNetwork,
  CLAUDE_NETWORK,
  CODEX_NETWORK,
  COMMAND_NETWORK,
  GEMINI_NETWORK,
} from '../../src/agents/vendor-network.ts';

const by = { placeholder: 'placeholder', baseUrl: 'http://127.0.0.1:61080/key1' };
const replace = (network: AgentNetwork, env: Record<string, string>, args: string[] = []) =>
  network.keys(env).reduce((program, key) => key.replace(program, by), { command: ['program', ...args], env });

describe('the key of an agent', () => {
  test('of Claude Code and Gemini is replaced with their base URL, which is the upstream where it is set', () => {
    expect(replace(CLAUDE_NETWORK, { ANTHROPIC_API_KEY: 'k' }).env).toEqual({
      ANTHROPIC_API_KEY: 'placeholder',
      ANTHROPIC_BASE_URL: by.baseUrl,
    });
    expect(CLAUDE_NETWORK.keys({ ANTHROPIC_AUTH_TOKEN: 'k', ANTHROPIC_BASE_URL: 'http://x' })[0]).toMatchObject({
      secret: 'k',
      upstream: 'http://x',
    });
    expect(replace(GEMINI_NETWORK, { GEMINI_API_KEY: 'k' }).env.GOOGLE_GEMINI_BASE_URL).toBe(by.baseUrl);
    expect(CLAUDE_NETWORK.keys({ CLAUDE_CODE_OAUTH_TOKEN: 'k' })).toEqual([]);
  });

  test('of Codex is replaced with a setting, unless it uses another provider', () => {
    expect(replace(CODEX_NETWORK, { CODEX_API_KEY: 'k' }, ['exec'])).toEqual({
      command: ['program', '-c', `openai_base_url="${by.baseUrl}"`, 'exec'],
      env: { CODEX_API_KEY: 'placeholder' },
    });
    const other = ['-c', 'model_provider=mine'];
    expect(replace(CODEX_NETWORK, { CODEX_API_KEY: 'k' }, other).env).toEqual({ CODEX_API_KEY: 'k' });
  });

  test('of another program is replaced only where it is configured with a base URL', () => {
    expect(COMMAND_NETWORK.keys({ OPENAI_API_KEY: 'k' })).toEqual([]);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://x/v1' };
    expect(replace(COMMAND_NETWORK, env).env).toEqual({ OPENAI_API_KEY: 'placeholder', OPENAI_BASE_URL: by.baseUrl });
  });

  test('of Opencode is replaced in its settings', () => {
    const options = { baseURL: 'http://x/v1', apiKey: 'a-real-key', timeout: 1 };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: 'm', provider: { a: { options }, b: {} } }) };
    const network = acpNetwork('opencode');
    expect(network.keys(env)[0]).toMatchObject({ secret: 'a-real-key', upstream: 'http://x/v1' });
    expect(JSON.parse(replace(network, env).env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
      model: 'm',
      provider: { a: { options: { baseURL: by.baseUrl, apiKey: 'placeholder', timeout: 1 } }, b: {} },
    });
    expect(network.keys({ OPENCODE_CONFIG_CONTENT: '{' })).toEqual([]);
  });
});
