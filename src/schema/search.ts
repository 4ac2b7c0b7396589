import { z } from 'zod';
import { TaskOverviewStatus } from './overview.ts';

/** What `search` finds: rows of transcripts, newest first, and tasks by what they are asked to do. */
export const SearchResult = z.object({
  hits: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      task: z.string(),
      taskTitle: z.string(),
      attempt: z.number().int(),
      row: z.number().int(),
      at: z.string(),
      kind: z.string(),
      excerpt: z.string(),
    }),
  ),
  tasks: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      task: z.string(),
      taskTitle: z.string(),
      status: TaskOverviewStatus,
    }),
  ),
  next: z.number().int().nullable().describe('Pass it back as `before` for older hits; null where there are none.'),
});
export type SearchResult = z.infer<typeof SearchResult>;
