import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, emptyCart } from '../src/cart.mjs';
import { checkout } from '../src/checkout.mjs';

test('a small cart pays the full price', () => {
  const cart = addItem(emptyCart(), 'coffee', 4);
  assert.deepEqual(checkout(cart), { subtotal: 4600, savings: [], total: 4600 });
});

test('takes five per cent off from €50 on', () => {
  const cart = addItem(emptyCart(), 'coffee', 5);
  assert.deepEqual(checkout(cart), {
    subtotal: 5750,
    savings: [{ name: 'Bulk discount', cents: 288 }],
    total: 5462,
  });
});
