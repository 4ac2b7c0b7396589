import type { EnginePort } from '../../app/port-interfaces.ts';
import { type SendMessage, sendMessage } from '../../core/attempt/decide-message.ts';
import { approve } from '../../core/run/answer-hold.ts';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import { startBench } from '../../operations/models/bench-run.ts';
import { runStream } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { undoRun } from '../finish/undo-run.ts';
import { landOnBase } from '../land/land-on-base.ts';
import { recheckRun } from '../land/recheck-run.ts';
import { cleanUp } from '../maintenance/clean-up.ts';
import { landAsPullRequest } from '../pull-requests/land-as-pull-request.ts';
import { smallCallNotes } from '../small-calls/call-providers.ts';
import { openLostProject, openRun } from '../start/open-run.ts';
import { startRun } from '../start/start-run.ts';
import type { ActiveRun, EngineContext } from './context.ts';
import type { Engine } from './engine.ts';
import { loadRun } from './ledger.ts';

/** A run that is opened for requests, and how many of them use it. */
type OpenedRun = { active: Promise<ActiveRun>; users: number };

/** The engine of this process as operations use it. */
export function enginePort(engine: Engine, end: EnginePort['end']): EnginePort {
  const opened = new Map<string, OpenedRun>();

  /** Concurrent requests share one opened run: two states of a run would overwrite each other. */
  function withRun<T>(run: string, work: (active: ActiveRun) => Promise<T>, open = openActive): Promise<T> {
    return engine.handle(() => useRun(run, work, open));
  }

  async function useRun<T>(run: string, work: (active: ActiveRun) => Promise<T>, open: typeof openActive): Promise<T> {
    const shared = opened.get(run) ?? { active: open(run), users: 0 };
    opened.set(run, shared);
    shared.users += 1;
    try {
      return await work(await shared.active);
    } finally {
      shared.users -= 1;
      if (shared.users === 0) opened.delete(run);
    }
  }

  async function openActive(run: string): Promise<ActiveRun> {
    return engine.runs.get(run) ?? (await openRun(engine, run));
  }

  /** A run can be cancelled even when its repository is gone. */
  async function openToCancel(run: string): Promise<ActiveRun> {
    try {
      return await openActive(run);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'REPOSITORY_GONE') throw error;
      const state = loadRun(engine.store, runStream(run));
      return openRun(engine, run, { state, project: await openLostProject(engine, state.start.project) });
    }
  }

  return {
    failed: engine.failed,
    stopping: engine.stopping,
    batches: new Set(),
    start: (request, item) =>
      engine.handle(async () => {
        const { state, project, notes } = await startRun(engine, request, item === undefined ? {} : { item });
        const active = await openRun(engine, state.start.run, { state, project });
        engine.run(active);
        return { run: state.start.run, notes: [...notes, ...smallCallNotes(engine, active)] };
      }),
    bench: (request) =>
      engine.handle(async () => {
        const { state, project } = await startBench(engine, request);
        engine.run(await openRun(engine, state.start.run, { state, project }));
        return state.start.run;
      }),
    resume: (run) => withRun(run, async (active) => engine.run(active)),
    submit: (run, decide) =>
      withRun(run, async (active) => {
        await engine.submit(active, decide).committed;
        engine.run(active);
        return active.ledger.state;
      }),
    cancel: (run, decide) =>
      withRun(
        run,
        async (active) => {
          engine.run(active);
          await engine.submit(active, decide).committed;
          return active.ledger.state;
        },
        openToCancel,
      ),
    record: (run, decide) =>
      withRun(run, async (active) => {
        await engine.submit(active, decide).committed;
        return active.ledger.state;
      }),
    send: (run, message) =>
      withRun(run, async (active) => {
        engine.run(active);
        await send(engine, active, message);
        engine.run(active);
        return active.ledger.state;
      }),
    land: (run, { how, ...request }) =>
      withRun(run, (active) =>
        withMutex(`land ${run}`, async () => {
          const { landed } = active.ledger.state;
          if (landed !== null && landed.how !== 'pr')
            throw new AppError('REFUSED', `Run ${run} has landed on ${landed.branch} already`, { run });
          const outcome =
            how === 'pr' ? await landAsPullRequest(engine, active, request) : await landOnBase(engine, active);
          if (outcome.kind === 'held')
            throw new AppError('NEEDS_PERSON', outcome.hold.reason, { run, files: outcome.hold.files });
          const { status } = active.ledger.state;
          if (status.kind === 'held' && status.hold.what === 'landing')
            await engine.submit(active, (state) => approve(state, { note: 'landed by a person' })).committed;
          engine.run(active);
          return active.ledger.state;
        }),
      ),
    recheck: (run) => withRun(run, (active) => recheckRun(engine, active)),
    undo: (run, request) => withRun(run, (active) => undoRun(engine, active, request)),
    clean: (options) => engine.handle(() => cleanUp(engine, options)),
    end,
  };
}

/** Records a message; interrupting or starting an attempt follows from the record, also after a crash. */
async function send(ctx: EngineContext, run: ActiveRun, message: Omit<SendMessage, 'now'>): Promise<void> {
  crashpoint('message.sending');
  await ctx.submit(run, (state) => sendMessage(state, { ...message, now: ctx.world.now() })).committed;
  crashpoint('message.sent');
}
