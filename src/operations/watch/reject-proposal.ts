import { z } from 'zod';
import { rejectProposal as decideRejection } from '../../core/watch/decide-watch.ts';
import { watchStream } from '../../schema/ids.ts';
import { Proposal } from '../../schema/watch/watch-round.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Rejects a proposal; the reason is remembered, and the same proposal is not made again, in other words either. */
export const rejectProposal = operation({
  name: 'reject-proposal',
  where: 'engine',
  summary: 'Reject a proposal of the watcher; the reason is remembered',
  http: 'POST /api/watch/proposals/{proposal}/reject',
  allow: ['operator'],
  decides: true,
  reserved: () => 'rejecting proposals',
  input: z.object({ dir: z.string(), proposal: z.string(), reason: z.string().trim().min(1).max(2_000) }),
  output: Proposal,
  run: async (app, { dir, proposal: id, reason }, { origin }) => {
    const project = await projectOf(app, dir);
    const state = await app.watches.update(
      watchStream(project.id),
      (each) => decideRejection(each, { proposal: id, reason }),
      origin,
    );
    return Proposal.parse(state.proposals.find((each) => each.id === id));
  },
});
