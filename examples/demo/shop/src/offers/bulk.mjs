const FROM_CENTS = 5000;
const RATE = 0.05;

/** Five per cent off what is due, from €50 on. */
export const bulk = {
  name: 'Bulk discount',
  saves: ({ due }) => (due >= FROM_CENTS ? Math.round(due * RATE) : 0),
};
