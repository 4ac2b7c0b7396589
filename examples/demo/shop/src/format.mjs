/** Money as people write it: 1250 cents is €12.50. */
export function formatMoney(cents) {
  const sign = cents < 0 ? '-' : '';
  const [whole, rest] = (Math.abs(cents) / 100).toFixed(2).split('.');
  return `${sign}€${whole}.${rest}`;
}
