import { z } from 'zod';
import { TranscriptHits } from '../../schema/transcript-page.ts';
import { operation } from '../operation.ts';
import { AttemptRef, findAttempt } from './find-attempt.ts';

/** Finds a text in one attempt, the first occurrence first. */
export const findInTranscript = operation({
  name: 'find-in-transcript',
  where: 'anywhere',
  summary: 'Find a text in the transcript of one attempt',
  http: 'GET /api/runs/{run}/tasks/{task}/transcript/find',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...AttemptRef,
    text: z.string().max(1_000),
    after: z.number().int().nonnegative().default(0).describe('The last row that was found.'),
    limit: z.number().int().min(1).max(1000).default(100),
  }),
  output: TranscriptHits,
  run: async (app, { text, after, limit, ...ref }) => {
    const { attempt } = await findAttempt(app, ref);
    if (attempt === undefined) return { hits: [], more: false };
    const found = app.store.find({ attempt, text, after, limit: limit + 1 });
    const hits = found.slice(0, limit).map((hit) => ({ ...hit, offset: app.store.offsetOf(attempt, hit.id) }));
    return { hits, more: found.length > limit };
  },
});
