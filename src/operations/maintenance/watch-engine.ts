import { z } from 'zod';
import { requireControl } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Returns the process of the engine; the stream stays open as long as the engine runs, and fails with it. */
export const watchEngine = stream({
  name: 'watch-engine',
  where: 'engine',
  summary: 'Return the process of the engine; the stream ends with it',
  http: { unreachable: 'Used by a server to wait for the end of an engine in another process.' },
  allow: ['operator'],
  input: z.object({}),
  output: z.object({ pid: z.number().int() }),
  cursor: 'pid',
  async *run(app, _input, { signal }) {
    yield [{ pid: process.pid }];
    if (signal.aborted) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    requireControl(app).failed.catch(reject);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  },
});
