/** `npm run test:slow` sets it: every variant is tested, and large inputs have their full size. */
export const TESTS_ALL = process.env.MANYHANDS_TEST_VARIANTS === 'all';

/** The rows of a table of variants: a sample with one row for each mechanism in `npm test`, all of them in `npm run test:slow`. */
export function variants<const Sampled, const Other>(
  sample: readonly Sampled[],
  others: readonly Other[],
): (Sampled | Other)[] {
  return TESTS_ALL ? [...sample, ...others] : [...sample];
}
