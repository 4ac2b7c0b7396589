import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Starts these files first, in this order: a long one that begins last would run while the other workers are idle. */
export function longestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification) => {
        const index = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
        return index < 0 ? longest.length : index;
      };
      return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right));
    }
  };
}
