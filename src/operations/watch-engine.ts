import type { StreamOperation } from './operation.ts';

/** Tells which process is the engine; the stream lasts as long as the engine does, or the asker listens. */
export const watchEngine: StreamOperation<'watch-engine'> = async function* (_ports, _input, signal) {
  yield { pid: process.pid };
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
};
