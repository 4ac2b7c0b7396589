import { z } from 'zod';

/** A row of a transcript. */
export const TranscriptLine = z.object({
  id: z.number().int(),
  at: z.number().describe('Milliseconds since 1970.'),
  kind: z.string().describe('text, reasoning, tool-call, tool-result, file-change, question, usage, result, ...'),
  text: z.string(),
  stderr: z.literal(true).optional().describe('The agent wrote it to its error channel.'),
  data: z
    .unknown()
    .optional()
    .describe('Further fields: id, name and input of a tool-call; the id of the call and isError of a tool-result.'),
});
export type TranscriptLine = z.infer<typeof TranscriptLine>;

/** Consecutive rows of one attempt. */
export const TranscriptPage = z.object({
  attempt: z.number().int().describe('0 where the task was never attempted.'),
  total: z.number().int().describe('Rows of the attempt so far.'),
  offset: z.number().int().describe('Number of rows before the first one here.'),
  rows: z.array(TranscriptLine),
});
export type TranscriptPage = z.infer<typeof TranscriptPage>;

/** The matches of a text in the transcript of one attempt, the first one first. */
export const TranscriptHits = z.object({
  hits: z.array(z.object({ id: z.number().int(), offset: z.number().int(), excerpt: z.string() })),
  more: z.boolean(),
});
export type TranscriptHits = z.infer<typeof TranscriptHits>;
