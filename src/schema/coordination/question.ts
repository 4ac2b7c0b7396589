import { z } from 'zod';

/** A question's id within its run, such as `q3-1`: the ordinal of its task and its number there. */
export const QuestionId = z.string().regex(/^q\d+-\d+$/);

/** What an agent asks a person. */
export const Question = z.object({
  id: QuestionId,
  text: z.string(),
  options: z.array(z.string()).optional(),
  /** The answer when nobody answers before the deadline. */
  default: z.string().optional(),
  deadline: z.number().optional(),
});
export type Question = z.infer<typeof Question>;
