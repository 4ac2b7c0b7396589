import { describe, expect, it } from 'vitest';
import { modelFor, tierByRules } from '../../src/core/tier.ts';

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
