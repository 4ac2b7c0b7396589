import type { EnginePort } from '../../app/port-interfaces.ts';
import { type SendMessage, sendMessage } from '../../core/attempt/decide-message.ts';
import { approve } from '../../core/run/decide-run.ts';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import { startBench } from '../../operations/models/bench-run.ts';
import { runStream } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { undoRun } from '../finish/undo-run.ts';
import { landOnBase } from '../land/land-on-base.ts';
import { recheckRun } from '../land/recheck.ts';
import { cleanUp } from '../maintenance/clean-up.ts';
import { landAsPullRequest } from '../pull-requests/land-as-pull-request.ts';
import { smallCallNotes } from '../small-calls/call-providers.ts';
import { openLostProject } from '../start/lost-project.ts';
import { activate } from '../start/open-run.ts';
import { startRun } from '../start/start-run.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import type { Engine } from './engine.ts';
import { loadRun } from './ledger.ts';

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
        withMutex(`land ${run}`, async () => {
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

/** Puts a message on record; what it breaks off or begins follows from the record, also after a crash. */
async function send(ctx: EngineContext, run: ActiveRun, message: Omit<SendMessage, 'now'>): Promise<void> {
  crashpoint('message.sending');
  await ctx.submit(run, (state) => sendMessage(state, { ...message, now: ctx.world.now() })).committed;
  crashpoint('message.sent');
}
