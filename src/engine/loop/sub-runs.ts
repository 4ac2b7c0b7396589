import { cancelRun } from '../../core/run/decide-run.ts';
import type { RunState } from '../../core/run/state.ts';
import { changeSubRun, endSubRun, reasonToCancel } from '../../core/run/sub-run.ts';
import { openSubRuns, type SubRunState } from '../../core/run/sub-run-state.ts';
import { attention } from '../../core/view/attention.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError, messageOf } from '../../errors.ts';
import { BY_ENGINE, type Origin } from '../../schema/actor.ts';
import type { RunEvent, RunEventOf } from '../../schema/event.ts';
import { runStream } from '../../schema/ids.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun } from './context.ts';
import type { Engine } from './engine.ts';
import { loadRun } from './ledger.ts';

/** How runs are continued and cancelled, by whoever requests it. */
type Control = {
  resume(run: string): Promise<void>;
  cancel(run: string, decide: (state: RunState) => RunEvent[], origin: Origin): Promise<unknown>;
};
type SubRunEnd = RunEventOf<'subrun.ended'>['data'];

/**
 * Follows the sub-runs of the runs that this engine runs. What is to be done follows from the two recorded states alone,
 * so that an engine after a crash does the same: a sub-run that is not active is opened, one whose parent no longer needs
 * it is cancelled, and its parent records when it waits for a person and how it ended.
 */
export class SubRuns {
  readonly #engine: Engine;
  readonly #control: Control;
  /** Sub-runs with a step in flight. */
  readonly #busy = new Set<string>();
  /** Runs that were opened because of a sub-run, or were open. */
  readonly #parents = new Set<string>();

  constructor(engine: Engine, control: Control) {
    this.#engine = engine;
    this.#control = control;
  }

  /** Begins the next step of each sub-run; called after every scheduling pass. */
  follow(): void {
    if (this.#engine.draining.aborted) return;
    for (const { ledger } of this.#engine.runs.values()) this.#openParent(ledger.state.start.parent?.run);
    for (const parent of this.#engine.runs.values())
      for (const subRun of openSubRuns(parent.ledger.state)) {
        const step = this.#busy.has(subRun.run) ? undefined : this.#nextStep(parent, subRun);
        if (step !== undefined) this.#begin(subRun.run, step);
      }
  }

  /** A run whose sub-run continues, for example because a person answered it, continues too; once, because it may not be able to. */
  #openParent(run: string | undefined): void {
    if (run === undefined || this.#parents.has(run)) return;
    this.#parents.add(run);
    if (!this.#engine.runs.has(run)) this.#begin(run, () => this.#control.resume(run));
  }

  #nextStep(parent: ActiveRun, subRun: SubRunState): (() => Promise<void>) | undefined {
    const { run } = subRun;
    const child = this.#engine.runs.get(run);
    if (child === undefined) return () => this.#openOrEnd(parent, run);
    const { state } = child.ledger;
    if (state.status.kind === 'ended') return undefined;
    const cancel = reasonToCancel(parent.ledger.state, subRun);
    const { status } = state;
    const isCancelling = status.kind === 'cancelling' && (status.force || cancel?.force !== true);
    if (cancel !== undefined && !isCancelling) return () => this.#cancel(run, cancel);
    const waitsFor = isSettled(state) ? waitText(state) : null;
    if (waitsFor === subRun.waitsFor) return undefined;
    return () => this.#engine.submit(parent, (before) => changeSubRun(before, { run, waitsFor })).committed;
  }

  #begin(run: string, step: () => Promise<void>): void {
    this.#busy.add(run);
    this.#engine
      .handle(step)
      // A store that fails is reported by the engine; a sub-run that ended in the meantime is seen in the next pass.
      .catch(() => {})
      .finally(() => {
        this.#busy.delete(run);
        this.#engine.wake();
      });
  }

  /** Continues a sub-run, or records how it ended. */
  async #openOrEnd(parent: ActiveRun, run: string): Promise<void> {
    const state = loadRun(this.#engine.store, runStream(run));
    if (state.status.kind === 'ended') return this.#record(parent, endOf(state));
    try {
      crashpoint('subrun.opening');
      await this.#control.resume(run);
      crashpoint('subrun.opened');
    } catch (error) {
      if (isStoreFailure(error) || this.#engine.stopping.aborted) throw error;
      const reason = `it could not be continued: ${messageOf(error)}`;
      await this.#record(parent, { run, status: 'failed', reason, costUsd: state.spent.costUsd });
    }
  }

  async #cancel(run: string, { reason, force }: { reason: string; force: boolean }): Promise<void> {
    crashpoint('subrun.cancelling');
    await this.#control.cancel(run, (state) => cancelRun(state, reason, force), BY_ENGINE);
    crashpoint('subrun.cancelled');
  }

  async #record(parent: ActiveRun, end: SubRunEnd): Promise<void> {
    crashpoint('subrun.ending');
    await this.#engine.submit(parent, (state) => endSubRun(state, end)).committed;
    crashpoint('subrun.ended');
  }
}

function endOf({ start, status, spent, tip, subRuns = [] }: RunState): SubRunEnd {
  if (status.kind !== 'ended') throw new AppError('INTERNAL', `Run ${start.run} has not ended`);
  const below = subRuns.reduce((sum, { ended }) => sum + (ended?.costUsd ?? 0), 0);
  const result = tip.commit === start.base.commit ? {} : { commit: tip.commit };
  const costUsd = spent.costUsd + below;
  return { run: start.run, status: status.status, reason: status.reason, costUsd, ...result };
}

function waitText(state: RunState): string {
  return attention(state)[0]?.reason ?? 'it waits for a person';
}
