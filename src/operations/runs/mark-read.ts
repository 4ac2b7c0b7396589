import { readRun } from '../../core/project/filing.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Marks a run as read up to what has happened in it so far, or as unread again. */
export const markRead: Operation<'mark-read'> = async (ports, { read, ...ref }) => {
  const { version, start } = await findRun(ports, ref);
  await ports.projects.submit(start.project.id, (state) => readRun(state, start.run, read ? version : 0));
  return { run: start.run, unread: ports.overviews.of(start.run).unread };
};
