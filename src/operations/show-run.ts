import { runDocument } from '../core/document.ts';
import { findRun } from './find-run.ts';
import type { Operation } from './operation.ts';

/** Shows a run with its tasks, evidence, and what waits for a person. */
export const showRun: Operation<'show-run'> = async (ports, input) => runDocument(await findRun(ports, input));
