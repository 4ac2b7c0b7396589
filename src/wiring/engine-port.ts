import { approve } from '../core/decide/run.ts';
import { activate } from '../engine/activate.ts';
import { cleanUp } from '../engine/clean.ts';
import type { ActiveRun } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { landOnBase } from '../engine/land-base.ts';
import { startRun } from '../engine/start.ts';
import { AppError } from '../errors.ts';
import type { EnginePort } from '../operations/ports.ts';

/** The engine of this process as operations use it. */
export function enginePort(engine: Engine): EnginePort {
  const taken = new Map<string, Promise<ActiveRun>>();

  /** A run is taken up once, however many ask for it at the same time. */
  function take(run: string): Promise<ActiveRun> {
    const carried = engine.runs.get(run);
    if (carried !== undefined) return Promise.resolve(carried);
    let taking = taken.get(run);
    if (taking === undefined) {
      taking = activate(engine, run).finally(() => taken.delete(run));
      taken.set(run, taking);
    }
    return taking;
  }

  return {
    start: async (request) => {
      const { state, project, notes } = await startRun(engine, request);
      engine.carry(await activate(engine, state.start.run, { state, project }));
      return { run: state.start.run, notes };
    },
    carry: async (run) => engine.carry(await take(run)),
    submit: async (run, decide) => {
      const active = engine.runs.get(run) ?? (await take(run));
      await engine.submit(active, decide).committed;
      engine.carry(active);
      return active.ledger.state;
    },
    land: async (run) => {
      const active = await take(run);
      const outcome = await landOnBase(engine, active);
      if (outcome.kind === 'held')
        throw new AppError('NEEDS_PERSON', outcome.hold.reason, { run, files: outcome.hold.files });
      const { status } = active.ledger.state;
      if (status.kind === 'held' && status.hold.what === 'landing')
        await engine.submit(active, (state) => approve(state, { note: 'landed by a person' })).committed;
      engine.carry(active);
      return active.ledger.state;
    },
    clean: (options) => cleanUp(engine, options),
  };
}
