import { approve } from '../core/decide/run.ts';
import { activate } from '../engine/activate.ts';
import { cleanUp } from '../engine/clean.ts';
import type { ActiveRun } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { landOnBase } from '../engine/land-base.ts';
import { startRun } from '../engine/start.ts';
import { AppError } from '../errors.ts';
import type { EnginePort } from '../operations/ports.ts';

/** A run in the hands of those who steer it now. */
type Taken = { active: Promise<ActiveRun>; users: number };

/** The engine of this process as operations use it. */
export function enginePort(engine: Engine): EnginePort {
  const taken = new Map<string, Taken>();

  /** A run is taken up once, and everybody who steers it shares it: two states of one run would write over each other. */
  async function steer<T>(run: string, work: (active: ActiveRun) => Promise<T>): Promise<T> {
    const held = taken.get(run) ?? { active: take(run), users: 0 };
    taken.set(run, held);
    held.users += 1;
    try {
      return await work(await held.active);
    } finally {
      held.users -= 1;
      if (held.users === 0) taken.delete(run);
    }
  }

  async function take(run: string): Promise<ActiveRun> {
    return engine.runs.get(run) ?? (await activate(engine, run));
  }

  return {
    start: async (request) => {
      const { state, project, notes } = await startRun(engine, request);
      engine.carry(await activate(engine, state.start.run, { state, project }));
      return { run: state.start.run, notes };
    },
    carry: (run) => steer(run, async (active) => engine.carry(active)),
    submit: (run, decide) =>
      steer(run, async (active) => {
        await engine.submit(active, decide).committed;
        engine.carry(active);
        return active.ledger.state;
      }),
    land: (run) =>
      steer(run, async (active) => {
        const outcome = await landOnBase(engine, active);
        if (outcome.kind === 'held')
          throw new AppError('NEEDS_PERSON', outcome.hold.reason, { run, files: outcome.hold.files });
        const { status } = active.ledger.state;
        if (status.kind === 'held' && status.hold.what === 'landing')
          await engine.submit(active, (state) => approve(state, { note: 'landed by a person' })).committed;
        engine.carry(active);
        return active.ledger.state;
      }),
    clean: (options) => cleanUp(engine, options),
  };
}
