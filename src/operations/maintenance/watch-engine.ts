import { z } from 'zod';
import { requireControl } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Names the process that is the engine; the stream lasts as long as the engine does, and fails with it. */
export const watchEngine = stream({
  name: 'watch-engine',
  where: 'engine',
  summary: 'Tell which process is the engine, and end with it',
  http: { unreachable: 'It is how a server waits for the engine of another process to end.' },
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
