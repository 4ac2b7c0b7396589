import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Lists the open pull requests of a project at its host, or those that a run opened. */
export const listPullRequests: Operation<'list-pull-requests'> = async (ports, { fromRun, ...which }, signal) =>
  fromRun
    ? ports.forges.ofRun(await findRun(ports, which), signal)
    : ports.forges.list(which.dir ?? (await findRun(ports, which)).start.project.root, signal);
