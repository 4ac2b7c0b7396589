import { z } from 'zod';

const LONGEST_COMMENT = 20_000;
const LONGEST_MESSAGE = 200_000;

/** Text of a person that can be passed to a process. */
const TextWithoutNul = z.string().refine((text) => !text.includes('\0'), 'must not hold a zero byte');

/** The message of a person to an agent; may be empty if there are comments. */
export const MessageText = TextWithoutNul.max(LONGEST_MESSAGE);

/** A person's comment on lines of a diff: `old` lines are those before the change, `new` ones those after it. */
export const ReviewComment = z
  .object({
    path: TextWithoutNul.min(1).max(4_096),
    side: z.enum(['old', 'new']),
    line: z.number().int().positive(),
    endLine: z.number().int().positive().optional().describe('The last line of a range of several.'),
    quote: TextWithoutNul.max(LONGEST_COMMENT).optional().describe('The lines themselves, as the person saw them.'),
    text: TextWithoutNul.trim().min(1).max(LONGEST_COMMENT),
  })
  .refine(({ line, endLine }) => endLine === undefined || endLine >= line, 'endLine must not be before line');
export type ReviewComment = z.infer<typeof ReviewComment>;

/** A person's input for the agent of a task: a message, comments on lines of its diff, or both. */
export const TaskMessage = z.object({
  id: z.string(),
  message: z.string(),
  comments: z.array(ReviewComment),
});
export type TaskMessage = z.infer<typeof TaskMessage>;
