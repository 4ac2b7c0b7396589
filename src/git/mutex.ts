const last = new Map<string, Promise<unknown>>();

/** Runs what has the same key one after another, in the order of asking; a failure does not stop those who come later. */
export async function withMutex<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
  // The one before tells its own caller how it ended.
  const turn = (last.get(key) ?? Promise.resolve()).then(act, act);
  last.set(key, turn);
  try {
    return await turn;
  } finally {
    if (last.get(key) === turn) last.delete(key);
  }
}
