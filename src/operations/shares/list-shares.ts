import { z } from 'zod';
import { listShares as readShares } from '../../store/credentials/shares.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { ShareDocument, shareDocument } from './share-run.ts';

/** Lists who can read which run without a login of their own; no secret is in it. */
export const listShares = operation({
  name: 'list-shares',
  where: 'anywhere',
  summary: 'List the shares that are neither revoked nor expired',
  http: 'GET /api/shares',
  allow: ['operator'],
  input: z.object({ run: RunRef.run.describe('Only those of this run.') }),
  output: z.array(ShareDocument),
  run: async (app, { run }) => {
    const only = run === undefined ? undefined : (await findRun(app, { run })).start.run;
    const shares = await readShares(app.home.server, app.world);
    return shares.filter((share) => only === undefined || share.run === only).map(shareDocument);
  },
});
