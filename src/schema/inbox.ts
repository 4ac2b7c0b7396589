import { z } from 'zod';
import { WaitingItem } from './overview.ts';

/** One thing that waits for a person, in any project. */
export const InboxItem = WaitingItem.extend({
  run: z.string(),
  title: z.string(),
  project: z.string(),
  projectId: z.string(),
  recipe: z.string(),
});
export type InboxItem = z.infer<typeof InboxItem>;
