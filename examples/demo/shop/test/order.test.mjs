import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOrder } from '../src/order.mjs';

test('a word is one piece, item=n is n pieces', () => {
  assert.deepEqual(parseOrder(['bread', 'apple=3']), [
    { item: 'bread', quantity: 1 },
    { item: 'apple', quantity: 3 },
  ]);
});
