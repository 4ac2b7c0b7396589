import { describe, expect, it } from 'vitest';
import { modelFor, openTier, tierByRules } from '../../../src/core/models/tier.ts';

describe('the tier of a task', () => {
  it.each([
    ['Fix a typo in the README', 'light'],
    ['Add a button that deletes the account', 'standard'],
    ['Find the race condition in the queue', 'heavy'],
    ['Migrate the store to PostgreSQL', 'heavy'],
    [`Do this: ${'and that '.repeat(300)}`, 'heavy'],
  ])('of "%s" is %s', (text, tier) => {
    expect(tierByRules(text, 0).tier).toBe(tier);
  });

  it('is heavy for what brings much together', () => {
    expect(tierByRules('Join the parts', 6).tier).toBe('heavy');
  });
});

describe('the model of a tier', () => {
  it('is the one model, else the tier’s, else the standard one, else none', () => {
    expect(modelFor({ model: 'one', models: { light: 'small' } }, 'light')).toBe('one');
    expect(modelFor({ models: { light: 'small', standard: 'middle' } }, 'light')).toBe('small');
    expect(modelFor({ models: { standard: 'middle' } }, 'heavy')).toBe('middle');
    expect(modelFor({ models: {} }, 'heavy')).toBeUndefined();
    expect(modelFor(undefined, undefined)).toBeUndefined();
  });
});

describe('the tier while a family of models is closed', () => {
  const agent = { models: { light: 'haiku', standard: 'claude-sonnet-5', heavy: 'claude-opus-5' } };

  it('is the requested one while its model is available, else the next available one', () => {
    expect(openTier(agent, 'heavy', [])).toBe('heavy');
    expect(openTier(agent, 'standard', ['opus'])).toBe('standard');
    expect(openTier(agent, 'heavy', ['opus'])).toBe('standard');
    expect(openTier(agent, undefined, ['sonnet'])).toBe('heavy');
    expect(openTier(agent, 'heavy', ['opus', 'sonnet'])).toBe('light');
  });

  it('is the requested one if no model is available or configured', () => {
    expect(openTier(agent, 'heavy', ['opus', 'sonnet', 'haiku'])).toBe('heavy');
    expect(openTier(undefined, 'light', ['opus'])).toBe('light');
  });
});
