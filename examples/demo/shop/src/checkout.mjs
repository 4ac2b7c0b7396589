import { subtotal } from './cart.mjs';
import { OFFERS } from './offers.mjs';

/** The bill for a cart: what it costs, what each offer saves, and what is to be paid, in cents. */
export function checkout(cart, order = {}) {
  const full = subtotal(cart);
  const savings = [];
  let due = full;
  for (const offer of OFFERS) {
    const cents = offer.saves({ ...order, cart, due });
    if (cents === 0) continue;
    savings.push({ name: offer.name, cents });
    due -= cents;
  }
  return { subtotal: full, savings, total: due };
}
