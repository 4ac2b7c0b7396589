import { z } from 'zod';

/** One thing that containment restricts. */
const ContainmentPart = z.object({
  contained: z.boolean(),
  how: z.string().describe('What restricts it, or why nothing does.'),
});
export type ContainmentPart = z.infer<typeof ContainmentPart>;

/** How a program is contained: as a whole, and by parts such as files, processes, network and resources. */
export const ContainmentRecord = z.object({
  level: z.enum(['full', 'partly', 'none']).describe('none: its files are those of the user.'),
  missing: z.array(z.string()).describe('The parts that are not restricted.'),
  reason: z.string().optional().describe('Why there is no sandbox.'),
  parts: z.record(z.string(), ContainmentPart).optional().describe('Absent in records of earlier versions.'),
});
export type ContainmentRecord = z.infer<typeof ContainmentRecord>;

/** How an attempt of a task was contained. */
export const AttemptContainment = ContainmentRecord.extend({ attempt: z.number().int() });
