import { requireEngine } from '../find-run.ts';
import type { StreamOperation } from '../operation.ts';

/** Tells which process is the engine; the stream lasts as long as the engine does, or the asker listens, and fails with it. */
export const watchEngine: StreamOperation<'watch-engine'> = async function* (ports, _input, signal) {
  yield [{ pid: process.pid }];
  if (signal.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  requireEngine(ports).failed.catch(reject);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
};
