import { describe, expect, it } from 'vitest';
import { accountName, freeAccount, limitAccount, rateLimitName } from '../../../src/core/schedule/account.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';

const NOW = 1_000;

describe('a limit of a provider', () => {
  const limit = { until: NOW + 60, reason: 'the weekly limit', family: 'opus' };

  it('closes only the family of models that it names, if the attempt used one of them', () => {
    expect(limitAccount(limit, 'claude-opus-4')).toEqual([
      { type: 'account.rested', data: { until: NOW + 60, reason: 'the weekly limit', family: 'opus' } },
    ]);
  });

  it.each([
    ['another model was used', 'opus', 'claude-sonnet-4'],
    ['the model is not known', 'opus', undefined],
    ['no family is named', undefined, 'claude-opus-4'],
  ])('closes the whole account when %s', (_, family, model) => {
    expect(limitAccount({ ...limit, family }, model)).toEqual([
      { type: 'account.rested', data: { until: NOW + 60, reason: 'the weekly limit' } },
    ]);
  });
});

describe('the login of an agent', () => {
  const config = AgentConfig.parse({
    kind: 'claude',
    models: { standard: 'claude-sonnet-4', heavy: 'claude-opus-4' },
    accounts: { home: { env: { KEY: 'a' } }, work: { env: { KEY: 'b' } } },
  });
  const free = (rateLimited: Record<string, number>, first?: string) =>
    freeAccount({ agent: 'one', config, ...(first === undefined ? {} : { first }) }, rateLimited, NOW);

  it('is the first that is not rate-limited', () => {
    expect(free({})).toEqual({ kind: 'free', name: 'home', closed: [] });
    expect(free({ [accountName('one', 'home')]: NOW + 5 })).toEqual({ kind: 'free', name: 'work', closed: [] });
  });

  it('is preferably the one in which a session continues', () => {
    expect(free({}, 'work')).toMatchObject({ name: 'work' });
  });

  it('is one that is open for all models before one that is open for some', () => {
    const opus = { [rateLimitName('one/home', 'opus')]: NOW + 5 };
    expect(free(opus)).toEqual({ kind: 'free', name: 'work', closed: [] });
    expect(free({ ...opus, 'one/work': NOW + 9 })).toEqual({ kind: 'free', name: 'home', closed: ['opus'] });
  });

  it('becomes available when the first limit ends', () => {
    expect(free({ 'one/home': NOW + 7, 'one/work': NOW + 3 })).toMatchObject({ until: NOW + 3 });
  });
});
