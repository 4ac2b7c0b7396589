import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, emptyCart, subtotal } from '../src/cart.mjs';

test('an empty cart costs nothing', () => {
  assert.equal(subtotal(emptyCart()), 0);
});

test('adds up items by price and quantity', () => {
  const cart = addItem(addItem(emptyCart(), 'apple', 2), 'bread');
  assert.equal(subtotal(cart), 440);
});

test('leaves the cart it was given as it was', () => {
  const cart = addItem(emptyCart(), 'apple');
  addItem(cart, 'bread');
  assert.deepEqual([...cart.keys()], ['apple']);
});

test('refuses what the shop does not sell', () => {
  assert.throws(() => addItem(emptyCart(), 'piano'), /does not sell "piano"/);
});
