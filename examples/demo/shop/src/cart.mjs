import { priceOf } from './prices.mjs';

/** A cart holds a quantity for each item. Carts are values: adding gives a new one. */
export function emptyCart() {
  return new Map();
}

/** The cart with so many more pieces of an item in it. */
export function addItem(cart, item, quantity = 1) {
  priceOf(item);
  return new Map(cart).set(item, quantity);
}

/** What everything in the cart costs before offers, in cents. */
export function subtotal(cart) {
  let cents = 0;
  for (const [item, quantity] of cart) cents += priceOf(item) * quantity;
  return cents;
}
