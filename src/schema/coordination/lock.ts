import { z } from 'zod';

/** Who holds or waits for locks: an attempt by its id, or a person by `@` and a name. */
const LockOwner = z.string().min(1).max(200);

/** A file or a folder of a project, as its path in the repository; a lock on a folder covers all that is in it. */
const LockedPath = z.string().max(4_096);

/** A lock as agents and people see it. */
export const FileLock = z.object({
  path: z.string(),
  by: z.string().describe('The attempt that holds it, as run-task-attempt, or @ and the name of a person.'),
  reason: z.string(),
  since: z.number(),
  expires: z.number().nullable().describe('When it ends by itself; null: with its attempt.'),
});
export type FileLock = z.infer<typeof FileLock>;

/** What happens to the locks of a project. Which request gets its locks follows from the order of these events. */
export const LockEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('locks.requested'),
    data: z.object({
      by: LockOwner,
      paths: z.array(LockedPath),
      reason: z.string(),
      /** Until when the request keeps its place in the queue. */
      until: z.number(),
      /** When the locks end by themselves. */
      expires: z.number().optional(),
    }),
  }),
  /** Without paths: all locks and requests of this owner. */
  z.object({
    type: z.literal('locks.released'),
    data: z.object({ by: LockOwner, paths: z.array(LockedPath).optional() }),
  }),
  z.object({ type: z.literal('locks.expired'), data: z.object({}) }),
]);
export type LockEvent = z.infer<typeof LockEvent>;
export type LockRequest = Extract<LockEvent, { type: 'locks.requested' }>['data'];

/** The stream of the locks of a project. */
export function locksStream(project: string): string {
  return `locks/${project}`;
}
