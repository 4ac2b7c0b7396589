import { describe, it } from 'vitest';
import { runCrashCase } from '../crash-case.ts';
import { GOAL, PAID_ATTEMPTS } from '../scenario.ts';

/** Where the work is killed first: with agents at work, with work to save, with a branch half moved, at the end. */
const FIRST = [
  { point: 'attempt.going', hit: 3 },
  { point: 'attempt.saved', hit: 3 },
  { point: 'branch.swapped', hit: 2 },
  { point: 'conflict.laid', hit: 1 },
  { point: 'push.done', hit: 1 },
];
/** Where the recovery is killed; one that it does not pass leaves a recovery that ends by itself. */
const AGAIN = [
  { point: 'lock.acquired', hit: 1 },
  { point: 'ref.writing', hit: 1 },
  { point: 'ref.written', hit: 1 },
  { point: 'attempt.adopting', hit: 1 },
  { point: 'attempt.read', hit: 1 },
  { point: 'save.done', hit: 1 },
  { point: 'store.committed', hit: 2 },
  { point: 'workspace.removing', hit: 1 },
];
const pairs = FIRST.flatMap((crash) => AGAIN.map((again) => ({ crash, again })));

describe('after a kill inside the recovery from a kill, a restart', () => {
  it.each(pairs)('settles from $crash.point, then $again.point', async ({ crash, again }) => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash, again });
  });
});
