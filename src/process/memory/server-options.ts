/**
 * The options of V8 in a server, which runs for days next to many agents. They limit the young generation, which under
 * load would grow permanently to several times its size and make collections slow, and the garbage that waits for a
 * collection; the young generation is collected by one thread, because waiting for helper threads takes longer than they
 * save when agents keep all processors busy. The last one offers the function that collects.
 */
export const SERVER_OPTIONS = [
  '--no-parallel-scavenge',
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=100',
  '--expose-gc',
];

/** The same ones of every other process. */
export const USUAL_OPTIONS = [
  '--parallel-scavenge',
  '--semi-space-growth-factor=2',
  '--heap-growing-percent=0',
  '--no-expose-gc',
];
