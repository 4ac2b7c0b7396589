import { realWorld } from '../../src/world.ts';

/** A program under load takes long to get as far as a command. */
const LONGEST_MS = 80_000;

/** Nothing tells us of another process's start or files, so they are looked for. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = realWorld.now() + LONGEST_MS;
  while (!holds()) {
    if (realWorld.now() > deadline) throw new Error('It did not happen');
    await realWorld.sleep(20);
  }
}
