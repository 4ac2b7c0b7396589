import { z } from 'zod';
import { readRun } from '../../core/project/filing.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Marks a run as read up to its latest event, or as unread again. */
export const markRead = operation({
  name: 'mark-read',
  where: 'engine',
  summary: 'Mark a run as read, or as unread again',
  http: 'POST /api/runs/{run}/read',
  allow: ['operator'],
  input: z.object({ ...RunRef, read: z.boolean().default(true) }),
  output: z.object({ run: z.string(), unread: z.boolean() }),
  run: async (app, { read, ...ref }, { origin }) => {
    const { version, start } = await findRun(app, ref);
    await app.projects.submit(start.project.id, (state) => readRun(state, start.run, read ? version : 0), origin);
    return { run: start.run, unread: app.overviews.of(start.run).unread };
  },
});
