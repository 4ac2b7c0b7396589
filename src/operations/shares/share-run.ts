import { z } from 'zod';
import { RunId } from '../../schema/ids.ts';
import { makeShare, type Share } from '../../store/credentials/shares.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

const MINUTE_S = 60;
const DAY_S = 86_400;
/** Longer access should be a viewer's. */
const MOST_DAYS = 90;

/** A share in lists, without its secrets. */
export const ShareDocument = z.object({
  share: z.string(),
  run: RunId,
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type ShareDocument = z.infer<typeof ShareDocument>;

/** Gives read access to one run until a time; the link logs one browser in, once. */
export const shareRun = operation({
  name: 'share-run',
  where: 'anywhere',
  summary: 'Share a run read-only: returns the path of a link that logs one browser in once, and a token',
  http: 'POST /api/runs/{run}/share',
  allow: ['operator'],
  tool: { none: 'It gives other people access.' },
  reserved: () => 'sharing runs',
  input: z.object({
    ...RunRef,
    expiresSeconds: z
      .number()
      .int()
      .min(MINUTE_S)
      .max(MOST_DAYS * DAY_S)
      .default(7 * DAY_S)
      .describe('After this time the link, the token and every login by them end.'),
  }),
  output: ShareDocument.extend({
    path: z.string().describe('To be opened below the address of the server; it works once.'),
    token: z.string().describe('For programs: Authorization: Bearer. It is not stored and not shown again.'),
  }),
  run: async (app, { expiresSeconds, ...ref }) => {
    const { run } = (await findRun(app, ref)).start;
    const { share, token, code } = await makeShare(app.home.server, { run, lastsMs: expiresSeconds * 1000 }, app.world);
    const path = `/login#code=${code}&to=${encodeURIComponent(`/runs/${run}`)}`;
    return { ...shareDocument(share), path, token };
  },
});

export function shareDocument({ id, run, createdAt, until }: Share): ShareDocument {
  return {
    share: id,
    run,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(until).toISOString(),
  };
}
