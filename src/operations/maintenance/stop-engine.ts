import { requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Ends the engine after this answer; whoever runs it says so and exits. */
export const stopEngine: Operation<'stop-engine'> = async (ports, { agents }) => {
  requireEngine(ports).end(agents);
  return { pid: process.pid };
};
