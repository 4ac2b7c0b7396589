import { approve } from '../core/decide/run.ts';
import { activate } from '../engine/activate.ts';
import { cleanUp } from '../engine/clean.ts';
import type { ActiveRun } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { landOnBase } from '../engine/land-base.ts';
import { landAsPullRequest } from '../engine/land-pr.ts';
import { loadRun } from '../engine/ledger.ts';
import { openLostProject } from '../engine/lost-project.ts';
import { recheckRun } from '../engine/recheck.ts';
import { send } from '../engine/send.ts';
import { smallCallNotes } from '../engine/small-call-ways.ts';
import { startRun } from '../engine/start.ts';
import { undoRun } from '../engine/undo.ts';
import { AppError } from '../errors.ts';
import { inTurn } from '../git/turns.ts';
import type { EnginePort } from '../operations/ports.ts';
import { runStream } from '../schema/ids.ts';
import { startBench } from './bench-port.ts';

/** A run in the hands of those who steer it now. */
type Taken = { active: Promise<ActiveRun>; users: number };

/** The engine of this process as operations use it. */
export function enginePort(engine: Engine, end: EnginePort['end']): EnginePort {
  const taken = new Map<string, Taken>();

  /** A run is taken up once, and everybody who steers it shares it: two states of one run would write over each other. */
  function steer<T>(run: string, work: (active: ActiveRun) => Promise<T>, takeUp = take): Promise<T> {
    return engine.attend(() => steered(run, work, takeUp));
  }

  async function steered<T>(run: string, work: (active: ActiveRun) => Promise<T>, takeUp: typeof take): Promise<T> {
    const held = taken.get(run) ?? { active: takeUp(run), users: 0 };
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

  /** What was begun can be ended also where the repository is gone. */
  async function takeToEnd(run: string): Promise<ActiveRun> {
    try {
      return await take(run);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'REPOSITORY_GONE') throw error;
      const state = loadRun(engine.store, runStream(run));
      return activate(engine, run, { state, project: await openLostProject(engine, state.start.project) });
    }
  }

  return {
    failed: engine.failed,
    stopping: engine.stopping,
    batches: new Set(),
    start: (request, item) =>
      engine.attend(async () => {
        const { state, project, notes } = await startRun(engine, request, item === undefined ? {} : { item });
        const active = await activate(engine, state.start.run, { state, project });
        engine.carry(active);
        return { run: state.start.run, notes: [...notes, ...smallCallNotes(engine, active)] };
      }),
    bench: (request) =>
      engine.attend(async () => {
        const { state, project } = await startBench(engine, request);
        engine.carry(await activate(engine, state.start.run, { state, project }));
        return state.start.run;
      }),
    carry: (run) => steer(run, async (active) => engine.carry(active)),
    submit: (run, decide) =>
      steer(run, async (active) => {
        await engine.submit(active, decide).committed;
        engine.carry(active);
        return active.ledger.state;
      }),
    cancel: (run, decide) =>
      steer(
        run,
        async (active) => {
          engine.carry(active);
          await engine.submit(active, decide).committed;
          return active.ledger.state;
        },
        takeToEnd,
      ),
    record: (run, decide) =>
      steer(run, async (active) => {
        await engine.submit(active, decide).committed;
        return active.ledger.state;
      }),
    send: (run, message) =>
      steer(run, async (active) => {
        engine.carry(active);
        await send(engine, active, message);
        engine.carry(active);
        return active.ledger.state;
      }),
    land: (run, { how, ...asked }) =>
      steer(run, (active) =>
        inTurn(`land ${run}`, async () => {
          const { landed } = active.ledger.state;
          if (landed !== null && landed.how !== 'pr')
            throw new AppError('REFUSED', `Run ${run} has landed on ${landed.branch} already`);
          const outcome =
            how === 'pr' ? await landAsPullRequest(engine, active, asked) : await landOnBase(engine, active);
          if (outcome.kind === 'held')
            throw new AppError('NEEDS_PERSON', outcome.hold.reason, { run, files: outcome.hold.files });
          const { status } = active.ledger.state;
          if (status.kind === 'held' && status.hold.what === 'landing')
            await engine.submit(active, (state) => approve(state, { note: 'landed by a person' })).committed;
          engine.carry(active);
          return active.ledger.state;
        }),
      ),
    recheck: (run) => steer(run, (active) => recheckRun(engine, active)),
    undo: (run, asked) => steer(run, (active) => undoRun(engine, active, asked)),
    clean: (options) => engine.attend(() => cleanUp(engine, options)),
    end,
  };
}
