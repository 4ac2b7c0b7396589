import { describe, it } from 'vitest';
import { discoverPoints, runCrashCase } from '../crash-case.ts';
import { MERGE_JOB, PAID_MERGE_ATTEMPTS } from '../scenario.ts';

const points = [...(await discoverPoints(MERGE_JOB)).keys()];
/** From the first push on the user's own repository is written to. */
const landing = points.slice(points.indexOf('branch.pushing'));

describe('after a kill while the base moves, a restart', () => {
  it.each(landing)('settles from %s', async (point) => {
    await runCrashCase({ args: MERGE_JOB, paid: PAID_MERGE_ATTEMPTS, crash: { point, hit: 1 }, movesBase: true });
  });

  it.each(['push.starting', 'push.done'])('settles from the second pass of %s', async (point) => {
    await runCrashCase({ args: MERGE_JOB, paid: PAID_MERGE_ATTEMPTS, crash: { point, hit: 2 }, movesBase: true });
  });
});
