import type { Risk } from './risk.ts';

/** So many identical searches mean that it is going in circles. */
const MANY = 5;

export const repeatedSearch: Risk = {
  name: 'repeated-search',
  title: 'Repeated search',
  severity: 'low',
  find: ({ digest }) => {
    const [search, times] = Object.entries(digest.searches).sort(([, a], [, b]) => b - a)[0] ?? [];
    return search !== undefined && times !== undefined && times >= MANY
      ? `it made the same search ${times} times: ${search.slice(0, 120)}`
      : undefined;
  },
};
