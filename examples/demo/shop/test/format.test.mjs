import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoney } from '../src/format.mjs';

test('writes euros and cents', () => {
  assert.equal(formatMoney(1250), '€12.50');
});

test('keeps both digits of the cents', () => {
  assert.equal(formatMoney(5), '€0.05');
});

test('puts the sign before the symbol', () => {
  assert.equal(formatMoney(-250), '-€2.50');
});
