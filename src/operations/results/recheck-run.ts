import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Runs the checks of an ended run again on its result as it stands, and puts what they say on record. */
export const recheckRun: Operation<'recheck-run'> = async (ports, input) => {
  const { run } = (await findRun(ports, input)).start;
  return { run, evidence: await requireEngine(ports).recheck(run) };
};
