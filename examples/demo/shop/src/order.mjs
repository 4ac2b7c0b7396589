/** Reads words such as `bread` and `apple=3` as lines of an order. */
export function parseOrder(words) {
  return words.map((word) => {
    const [item, quantity = '1'] = word.split('=');
    return { item, quantity: Number(quantity) };
  });
}
