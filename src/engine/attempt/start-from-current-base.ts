import { mayStartFromBase, moveToBase } from '../../core/run/decide-start.ts';
import { mergeCommits } from '../../git/merge/merge.ts';
import { refreshMirror } from '../../git/mirror/refresh.ts';
import { readRef, writeRef } from '../../git/refs/mirror-refs.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { runRef } from '../land/land-tasks.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/**
 * A task that waited for a time or for other runs starts from the current base, not from the base at the time of the request.
 * Where the base conflicts with the run branch, it starts from the run branch, and the landing reports the conflict.
 */
export async function startFromCurrentBase(ctx: EngineContext, run: ActiveRun, key: TaskKey): Promise<void> {
  const { branch } = run.ledger.state.start.base;
  if (branch === null || !mayStartFromBase(run.ledger.state, key)) return;
  const { mirror, repository } = run.project;
  await refreshMirror(mirror, repository);
  const base = await readRef(mirror, `refs/user/heads/${branch}`);
  const { start, tip } = run.ledger.state;
  if (base === undefined || base === start.base.commit || base === tip.commit) return;
  const message = `Merge ${branch} into mh/${run.id}\n\nManyhands-Run: ${run.id}\n`;
  const merged = await mergeCommits({ mirror, onto: tip.commit, theirs: base, message, now: ctx.world.now() });
  if (merged.kind !== 'merged' || merged.commit === tip.commit) return;
  const { commit, tree } = merged;
  const ref = runRef(run.id);
  crashpoint('run.catching-up');
  await writeRef(mirror, { ref, to: commit, expected: (await readRef(mirror, ref)) ?? null });
  await ctx.submit(run, (state) => moveToBase(state, { task: key, tip: tip.commit, base, commit, tree })).committed;
  crashpoint('run.caught-up');
}
