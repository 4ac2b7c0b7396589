import { describe, it } from 'vitest';
import { variants } from '../support/variants.ts';
import { runCrashCase } from './crash-case.ts';
import { CYCLE, DEBATE, PAID_CYCLE_ATTEMPTS, PAID_DEBATE_ATTEMPTS } from './scenario.ts';

/** The kill of the engine in each phase of a recipe: while an agent works, after it has ended, after its work landed. */
function phases(args: readonly string[], paid: number) {
  const attempts = Array.from({ length: paid }, (_, index) => index + 1);
  return attempts.flatMap((hit) => [
    { name: `${args[0]}: attempt ${hit} works`, args, paid, crash: { point: 'attempt.going', hit } },
    { name: `${args[0]}: attempt ${hit} has ended`, args, paid, crash: { point: 'attempt.ended', hit } },
  ]);
}

const CASES = [
  ...phases(CYCLE, PAID_CYCLE_ATTEMPTS),
  {
    name: 'cycle: the second cycle landed',
    args: CYCLE,
    paid: PAID_CYCLE_ATTEMPTS,
    crash: { point: 'branch.swapped', hit: 2 },
  },
  ...phases(DEBATE, PAID_DEBATE_ATTEMPTS),
];

/** One while an implementer works, one after the answer of a side. */
const isSampled = (_: unknown, index: number) => index === 2 || index === CASES.length - 7;
const SAMPLE = CASES.filter(isSampled);
const OTHERS = CASES.filter((each, index) => !isSampled(each, index));

describe('after a kill in a phase of a recipe, a restart', () => {
  it.each(variants(SAMPLE, OTHERS))(
    'pays nothing twice and ends the same: $name',
    { timeout: 300_000 },
    async ({ args, paid, crash }) => {
      await runCrashCase({ args, paid, crash });
    },
  );
});
