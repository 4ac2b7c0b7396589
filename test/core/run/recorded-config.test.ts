import { describe, expect, it } from 'vitest';
import { hasVariables, withoutValues, withValues } from '../../../src/core/run/recorded-config.ts';
import { Config } from '../../../src/schema/config.ts';

const SECRET = 'hunter2-hunter2';
const config = Config.parse({
  agents: { claude: { kind: 'claude', env: { KEY: SECRET }, accounts: { work: { env: { TOKEN: SECRET } } } } },
  mcp: {
    a: { command: 'x', env: { PASSWORD: SECRET } },
    b: { url: 'http://127.0.0.1/', headers: { Authorization: SECRET } },
  },
});

describe('the settings that a run records', () => {
  it('hold no value of a variable or header, only the names', () => {
    const recorded = withoutValues(config);
    expect(JSON.stringify(recorded)).not.toContain(SECRET);
    expect(Object.keys(recorded.agents.claude?.env ?? {})).toEqual(['KEY']);
  });

  it('get their values from the settings of the day, and lose what is no longer there', () => {
    expect(withValues(withoutValues(config), config)).toEqual(config);
    const later = Config.parse({ agents: { claude: { kind: 'claude', env: { KEY: 'new', OTHER: 'x' } } } });
    const filled = withValues(withoutValues(config), later);
    expect(filled.agents.claude?.env).toEqual({ KEY: 'new' });
    expect(filled.agents.claude?.accounts.work).toBeUndefined();
  });

  it('show whether any value must be read again', () => {
    expect([hasVariables(config), hasVariables(Config.parse({}))]).toEqual([true, false]);
  });
});
