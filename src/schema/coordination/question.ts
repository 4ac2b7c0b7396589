import { z } from 'zod';

/** A question's id within its run, such as `q3-1`: the ordinal of its task and its number there. */
export const QuestionId = z.string().regex(/^q\d+-\d+$/);

/** What an agent asks a person. */
export const Question = z.object({
  id: QuestionId,
  text: z.string(),
  options: z.array(z.string()).optional(),
  /** The answer without an answer before the deadline. */
  default: z.string().optional(),
  deadline: z.number().optional(),
});
export type Question = z.infer<typeof Question>;

/** The answer of a person, or the default at the deadline. */
export const Answer = z.object({
  question: QuestionId,
  answer: z.string(),
  byDefault: z.boolean().optional(),
  /** Its agent was running: the call that asked returns the answer, or its next attempt gets it as a message. */
  delivery: z.literal('call').optional(),
});
