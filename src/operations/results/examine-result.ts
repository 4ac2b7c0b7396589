import type { App } from '../../app.ts';
import { acceptanceOf, type ResultSnapshot } from '../../core/finish/acceptance.ts';
import { changeSummary } from '../../core/finish/change-summary.ts';
import { judgementOf } from '../../core/finish/judgement.ts';
import type { RunState } from '../../core/run/state.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { AppError } from '../../errors.ts';
import { isAncestor } from '../../git/merge/undo.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { ReportMaterial } from '../../reports/run-report.ts';
import type { Acceptance } from '../../schema/acceptance.ts';
import { changesBetween } from './project-mirror.ts';

/** The current state of a run's result in git, and whether it can be accepted. */
export type ExaminedResult = { snapshot: ResultSnapshot; acceptance: Acceptance };

/** Examines the current result of a run in the user's repository. */
export async function examineResult({ home }: App, state: RunState): Promise<ExaminedResult> {
  const { mirror } = await openProject({ home }, state.start.project);
  const snapshot = await takeSnapshot(mirror, state);
  return { snapshot, acceptance: acceptanceOf(state, snapshot) };
}

async function takeSnapshot(mirror: Mirror, { start, tip, landed }: RunState): Promise<ResultSnapshot> {
  const branch = await readRef(mirror, `refs/user/heads/mh/${start.run}`);
  return {
    branch: branch === undefined ? null : { commit: branch, tree: await treeOf(mirror, branch) },
    base: landed === null || landed.how !== 'merge' ? null : await baseOf(mirror, landed),
    changes: await changesBetween(mirror, { from: start.base.commit, to: tip.commit }),
  };
}

async function baseOf(mirror: Mirror, landed: { branch: string; commit: string }): Promise<ResultSnapshot['base']> {
  const { branch } = landed;
  const commit = (await readRef(mirror, `refs/user/heads/${branch}`)) ?? null;
  // A commit that is no longer in the mirror has no tree to compare.
  const landedTree = await treeOf(mirror, landed.commit).catch(() => null);
  const holdsResult = commit !== null && (await isAncestor(mirror, landed.commit, commit));
  return { branch, commit, tree: commit === null ? null : await treeOf(mirror, commit), holdsResult, landedTree };
}

/** What a report needs of the repository; without it where the repository cannot be read. */
export async function examineIfPossible(
  app: App,
  state: RunState,
): Promise<Pick<ReportMaterial, 'examination' | 'unreadable'>> {
  try {
    const { snapshot, acceptance } = await examineResult(app, state);
    const judgement = judgementOf(state, acceptance, []);
    return { examination: { acceptance, judgement, changes: changeSummary(snapshot.changes) }, unreadable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'INTERNAL') throw error;
    return { examination: null, unreadable: error.message };
  }
}
