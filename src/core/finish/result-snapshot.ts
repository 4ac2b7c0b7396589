import type { FileChange } from '../../schema/change.ts';

/** What git shows of a run's result now, in the repository of the user. */
export type ResultSnapshot = {
  /** The tip of the branch of the run; null when there is none. */
  branch: { commit: string; tree: string } | null;
  /** The branch that the result landed on; null when it did not land. */
  base: {
    branch: string;
    /** Its tip now; null when the branch is gone. */
    commit: string | null;
    tree: string | null;
    /** Whether the tip still has the landing in its history. */
    holdsResult: boolean;
    /** The tree that landed; null when its commit is gone. */
    landedTree: string | null;
  } | null;
  /** What the run changed, from its base to its tip. */
  changes: FileChange[];
};
