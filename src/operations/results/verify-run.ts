import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';
import { examineResult } from './examine-result.ts';

/** Says whether the result of a run, as it stands now, can be accepted, with each reason why not. */
export const verifyRun: Operation<'verify-run'> = async (ports, input) =>
  (await examineResult(ports, await findRun(ports, input))).acceptance;
