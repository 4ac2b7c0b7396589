/**
 * Generations of transcript rows that the engine writes itself. Each has a fixed position, so that it is stored once, and
 * the rows appear in this order.
 */
export const ENGINE_GENERATIONS = { messages: 0, finalMessage: 1, teardown: 2, setup: 3 } as const;
