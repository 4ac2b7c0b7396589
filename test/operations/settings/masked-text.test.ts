import { describe, expect, it } from 'vitest';
import { maskText, unmaskText } from '../../../src/operations/settings/masked-text.ts';

const FILE = `agents:
  ada:
    kind: command
    env:
      API_KEY: abc # a secret
      "OTHER": 'x: y'
      list:
        - deep
    command: ./agent
  bob: { env: { A: secret } }
mcp:
  - headers: { Authorization: secret }
other:
  env: {
A: unindented
  }
limits:
  agents: [ # broken
token: sk-ant-api03-${'a1B2'.repeat(24)}
notify:
  - { kind: webhook, url: https://x.example, token: plain-word }
linear:
  key: lin-word
variable:
  key: $LINEAR_KEY
url: postgres://ann:mypass@db/shop
`;

describe('the text of a broken settings file', () => {
  it('shows no value of a variable or header, nor a known form of a secret, and everything else', () => {
    const shown = maskText(FILE);
    for (const secret of [
      'abc',
      'x: y',
      'deep',
      'secret }',
      'unindented',
      'sk-ant',
      'plain-word',
      'lin-word',
      'mypass',
    ])
      expect(shown).not.toContain(secret);
    for (const kept of [
      'kind: command',
      'API_KEY: [hidden]',
      'command: ./agent',
      'agents: [ # broken',
      'key: $LINEAR_KEY',
    ])
      expect(shown).toContain(kept);
  });

  it('gets its hidden values back where their lines are unchanged', () => {
    const edited = maskText(FILE).replace('agents: [ # broken', 'agents: 4');
    expect(unmaskText(edited, FILE)).toBe(FILE.replace('agents: [ # broken', 'agents: 4'));
    expect(unmaskText(maskText(FILE), FILE)).toBe(FILE);
  });

  it('does not guess a value for a line that was changed or repeated', () => {
    expect(() => unmaskText(maskText(FILE).replace('API_KEY:', 'NEW_KEY:'), FILE)).toThrow('Line 5');
    expect(() => unmaskText(`${maskText(FILE)}      API_KEY: [hidden]`, FILE)).toThrow('placeholder');
    expect(unmaskText('land: merge', FILE)).toBe('land: merge');
  });
});
