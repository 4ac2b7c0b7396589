import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { randomFrom } from '../../support/random-from.ts';
import type { Scratch } from '../../support/scratch.ts';
import { recover } from '../crash-case.ts';
import { checkInvariants } from '../invariants.ts';
import { GOAL, makeScene, PAID_ATTEMPTS } from '../scenario.ts';
import { seenCommits } from '../seen-commits.ts';

const SEEDS = [11, 23, 37, 41, 59, 67, 73, 89];
/** About as long as the whole run takes. */
const LATEST_MS = 6_000;

describe('after two kills at seeded random moments, a restart', () => {
  it.each(SEEDS)('settles with seed %i', async (seed) => {
    const random = randomFrom(seed);
    await using scratch = await makeScene();
    const before = await scratch.fingerprint();
    const seen = new Set<string>();
    for (const args of [GOAL, ['resume', '--json']]) {
      await killDuring(scratch, args, random() * LATEST_MS);
      for (const oid of seenCommits(scratch)) seen.add(oid);
    }
    await recover(scratch, GOAL);
    await checkInvariants(scratch, { before, seen, paid: PAID_ATTEMPTS, movesBase: false });
  });
});

async function killDuring(scratch: Scratch, args: readonly string[], afterMs: number): Promise<void> {
  const running = scratch.start(args);
  const over = new AbortController();
  const ended = running.done.finally(() => over.abort());
  // It may end before its time comes.
  await pause(afterMs, undefined, { signal: over.signal }).catch(() => {});
  running.kill('SIGKILL');
  await ended;
}
