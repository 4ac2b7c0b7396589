/** What the shop sells. Prices are whole cents, so that sums are exact. */
const PRICES = new Map([
  ['apple', 60],
  ['pear', 75],
  ['bread', 320],
  ['cheese', 780],
  ['coffee', 1150],
  ['hamper', 129900],
]);

/** The price of one piece, in cents. */
export function priceOf(item) {
  const price = PRICES.get(item);
  if (price === undefined) throw new RangeError(`The shop does not sell "${item}".`);
  return price;
}
