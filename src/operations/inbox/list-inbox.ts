import { z } from 'zod';
import { waitingItems } from '../../core/view/needs-you.ts';
import { WaitingItem } from '../../schema/overview.ts';
import { projectFilter } from '../find-run.ts';
import { operation } from '../operation.ts';

/** One item that waits for a person, in any project. */
export const InboxItem = WaitingItem.extend({
  run: z.string(),
  title: z.string(),
  project: z.string(),
  projectId: z.string(),
  recipe: z.string(),
});
export type InboxItem = z.infer<typeof InboxItem>;

/** Lists what waits for a person in every project, the longest waiting first. */
export const listInbox = operation({
  name: 'list-inbox',
  where: 'anywhere',
  summary: 'List what waits for a person in all projects, the oldest first',
  http: 'GET /api/inbox',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string().optional(),
    project: z.string().optional().describe('Only the project with this id.'),
  }),
  output: z.array(InboxItem),
  run: async (app, input) => {
    const selected = await projectFilter(app, input);
    return app.overviews
      .all()
      .filter(({ projectId }) => selected === undefined || projectId === selected)
      .flatMap((overview) => {
        const { run, title, project, projectId, recipe } = overview;
        // What a sub-run waits for is listed with the sub-run.
        return waitingItems(overview)
          .filter(({ subRun }) => subRun === undefined)
          .map((item) => ({ ...item, run, title, project, projectId, recipe }));
      })
      .sort((a, b) => a.since.localeCompare(b.since));
  },
});
