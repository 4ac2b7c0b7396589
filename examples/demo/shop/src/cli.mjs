import { addItem, emptyCart } from './cart.mjs';
import { checkout } from './checkout.mjs';
import { formatMoney } from './format.mjs';
import { parseOrder } from './order.mjs';

try {
  console.log(bill(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function bill(words) {
  const cart = parseOrder(words).reduce((filled, line) => addItem(filled, line.item, line.quantity), emptyCart());
  return `Total ${formatMoney(checkout(cart).total)}`;
}
