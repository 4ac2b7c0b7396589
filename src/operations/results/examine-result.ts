import type { Ports } from '../../app/port-interfaces.ts';
import { acceptanceOf } from '../../core/finish/acceptance.ts';
import type { ResultSnapshot } from '../../core/finish/result-snapshot.ts';
import type { RunState } from '../../core/run/state.ts';
import type { Acceptance } from '../../schema/acceptance.ts';

/** A run beside what stands of it in the repository, and what follows from both. */
export type ExaminedResult = { sight: ResultSnapshot; acceptance: Acceptance };

/** Looks at the result of a run as it stands now. */
export async function examineResult(ports: Ports, state: RunState): Promise<ExaminedResult> {
  const { start, tip, landed } = state;
  const place = {
    run: start.run,
    from: start.base.commit,
    to: tip.commit,
    landed: landed === null || landed.how !== 'merge' ? null : { branch: landed.branch, commit: landed.commit },
  };
  const sight = await ports.work.sight(start.project, place);
  return { sight, acceptance: acceptanceOf(state, sight) };
}
