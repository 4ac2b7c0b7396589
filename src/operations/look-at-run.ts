import { acceptanceOf } from '../core/acceptance.ts';
import type { Sight } from '../core/sight.ts';
import type { RunState } from '../core/state.ts';
import type { Acceptance } from '../schema/acceptance.ts';
import type { Ports } from './ports.ts';

/** A run beside what stands of it in the repository, and what follows from both. */
export type LookedAt = { sight: Sight; acceptance: Acceptance };

/** Looks at the result of a run as it stands now. */
export async function lookAtRun(ports: Ports, state: RunState): Promise<LookedAt> {
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
