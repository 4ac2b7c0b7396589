import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import type { TaskKey } from '../../schema/ids.ts';

/** A commit to be checked, with the tasks that it contains. */
export type Candidate = {
  commit: string;
  tree: string;
  tasks: TaskKey[];
  /** The commit of the base with which the branch of the run is merged, where that is landed. */
  onto?: string;
  /** A person approved that this tree lands in spite of its findings. */
  isApproved?: boolean;
};

/** Files that a checkout has as they are in another commit; `subject` names for people what is checked then. */
export type Overlay = { commit: string; paths: readonly string[]; subject: string };

/** A check to be run in a clean checkout of a candidate. */
export type CheckRequest = { candidate: Candidate; gate: CommandGateSpec; overlay?: Overlay; isFresh?: boolean };
