const queues = new Map<string, Promise<unknown>>();

/** Runs actions with the same key one after another, in call order; a failure does not stop the later ones. */
export async function withMutex<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
  // The previous action reports its failure to its own caller.
  const run = (queues.get(key) ?? Promise.resolve()).then(action, action);
  queues.set(key, run);
  try {
    return await run;
  } finally {
    if (queues.get(key) === run) queues.delete(key);
  }
}
