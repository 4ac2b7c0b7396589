import { z } from 'zod';

const LONGEST_COMMENT = 20_000;
const LONGEST_MESSAGE = 200_000;

/** The words of a person, as an agent's program can be given them. */
const Words = z.string().refine((text) => !text.includes('\0'), 'must not hold a zero byte');

/** What a person tells an agent; may be empty where there are comments. */
export const MessageText = Words.max(LONGEST_MESSAGE);

/** What a person says about lines of a diff: `old` lines are those before the change, `new` ones those after it. */
export const ReviewComment = z
  .object({
    path: Words.min(1).max(4_096),
    side: z.enum(['old', 'new']),
    line: z.number().int().positive(),
    endLine: z.number().int().positive().optional().describe('The last line that is meant, where there are several.'),
    quote: Words.max(LONGEST_COMMENT).optional().describe('The lines themselves, as the person saw them.'),
    text: Words.trim().min(1).max(LONGEST_COMMENT),
  })
  .refine(({ line, endLine }) => endLine === undefined || endLine >= line, 'endLine must not be before line');
export type ReviewComment = z.infer<typeof ReviewComment>;

/** What a person tells the agent of a task: a message, comments on lines of its diff, or both. */
export const TaskMessage = z.object({
  id: z.string(),
  message: z.string(),
  comments: z.array(ReviewComment),
});
export type TaskMessage = z.infer<typeof TaskMessage>;
