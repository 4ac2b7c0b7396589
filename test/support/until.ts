import { realWorld } from '../../src/world.ts';

const LONGEST_MS = 60_000;
const EVERY_MS = 10;

/** Resolves when this holds, for what reports no change by itself; rejects after a minute. */
export async function until(holds: () => boolean | Promise<boolean>, what = 'this'): Promise<void> {
  const deadline = realWorld.now() + LONGEST_MS;
  while (!(await holds())) {
    if (realWorld.now() > deadline) throw new Error(`After ${LONGEST_MS / 1_000} s it does not hold: ${what}`);
    await realWorld.sleep(EVERY_MS);
  }
}
