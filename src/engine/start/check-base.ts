import { failedSetupOf, startErrorOf } from '../../core/run/check-start.ts';
import { holdRun } from '../../core/run/decide-run.ts';
import { recordBaseCheck, recordBaseFailure, recordFlaky, shareProofs } from '../../core/run/decide-start.ts';
import { proofKey } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { type CommandGateSpec, isSatisfied } from '../../gates/gate-kinds.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import type { Evidence } from '../../schema/gate.ts';
import { projectStream } from '../../schema/ids.ts';
import { setupOf } from '../../workspaces/checkout.ts';
import { checkWith } from '../land/check-candidate.ts';
import { knownProofs, observePreparation } from '../land/evidence.ts';
import { checkoutOf } from '../land/perform-check.ts';
import type { RunningStep } from '../loop/activities.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

const SETUP_REMEDY =
  'Install what is missing and approve, which runs it again; or cancel the run, correct workspace.setup in .manyhands/config.yaml, and start it again.';

/** Runs each check on the base, before any work, and records the result; a failure is shown before the check is repeated. A check that passed on this tree in an earlier run is not run again; one that failed is, because the machine may have changed. A check that cannot start is an error at once, not a result. */
export async function checkBase(ctx: EngineContext, run: ActiveRun, gates: readonly CommandGateSpec[]): Promise<void> {
  const { start } = run.ledger.state;
  const stream = projectStream(run.project.id);
  const tree = await treeOf(run.project.mirror, start.base.commit);
  const known = knownProofs(ctx, run);
  const evidence: Evidence[] = [];
  const reportFailure = async (failure: Evidence) => {
    requireStarted(failure);
    await ctx.submit(run, (state) => recordBaseFailure(state, { tree, evidence: failure })).committed;
  };
  for (const gate of gates) {
    const definition = ctx.implementations.definition(gate, start.config);
    const earlier = known.get(proofKey({ tree, definition }));
    using step = ctx.activities.begin({ run }, { kind: 'check', what: 'prepares the check on the base' });
    const found =
      earlier?.tests === undefined || earlier.setup !== (await setupAt(ctx, run, step))
        ? await checkWith(ctx, run, { commit: start.base.commit, tree, tasks: [] }, gate, reportFailure)
        : { ...earlier, reused: true };
    ctx.stopping.throwIfAborted();
    run.cancel.signal.throwIfAborted();
    const failedSetup = failedSetupOf(found);
    if (failedSetup !== undefined) {
      await holdForSetup(ctx, run, { tree, evidence: [failedSetup] });
      return;
    }
    requireStarted(found);
    evidence.push(found);
  }
  if (start.config.baseRed === 'known') requireNames(evidence);
  const events = [...shareProofs(evidence), ...evidence.flatMap((found) => recordFlaky(run.id, found))];
  const also = events.length === 0 ? [] : [{ stream, expected: -1, events }];
  await ctx.submit(run, (state) => recordBaseCheck(state, { tree, evidence }), { also }).committed;
}

/** A set-up that failed fails for every check and every attempt: the run waits before any of them. */
async function holdForSetup(
  ctx: EngineContext,
  run: ActiveRun,
  what: { tree: string; evidence: [Evidence] },
): Promise<void> {
  const reason = `${what.evidence[0].summary} (${SETUP_REMEDY})`;
  await ctx.submit(run, (state) => [
    ...recordBaseCheck(state, what),
    ...holdRun(state, { what: 'trouble', reason, files: [] }),
  ]).committed;
}

function requireStarted(evidence: Evidence): void {
  const error = startErrorOf(evidence);
  if (error === undefined) return;
  const message = `${evidence.gate}: ${error}`;
  throw new AppError('CHECK_CANNOT_START', `A check cannot start on the base: ${message}`, { errors: [message] });
}

/** Failures on the base are distinguished from new ones only by the names of tests. */
function requireNames(evidence: readonly Evidence[]): void {
  const unnamed = evidence.filter(
    ({ verdict, tests }) =>
      !isSatisfied(verdict) && (tests === undefined || tests.failed === 0 || tests.failures.length !== tests.failed),
  );
  if (unnamed.length === 0) return;
  const gates = unnamed.map(({ gate }) => gate);
  const problem = `${gates.join(', ')} fails on the base, and its output does not name the tests that fail`;
  const remedy = 'let the check print the names (such as pytest -v), or start the run without --known-red';
  throw new AppError('REFUSED', `${problem}: ${remedy}`, { gates });
}

/** A proof of an earlier run counts only with the same dependencies. */
async function setupAt(ctx: EngineContext, run: ActiveRun, step: RunningStep): Promise<string> {
  const { commit } = run.ledger.state.start.base;
  return setupOf({ ...(await checkoutOf(ctx, run, commit)), observer: observePreparation(ctx, run, { step }) });
}
