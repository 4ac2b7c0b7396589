/**
 * What is put into a transcript without having been read from a file has a place, too, so that it is stored once: rows of a
 * file come in the order of their generations, and these come in this order.
 */
export const ENGINE_GENERATIONS = { messages: 0, finalMessage: 1, teardown: 2 } as const;
