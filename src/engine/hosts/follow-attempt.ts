import { recordSpawn, recordUsage, warnOf } from '../../core/attempt/decide-attempt.ts';
import { recordGate } from '../../core/land/decide-landing.ts';
import { valuesFor } from '../../core/run/recorded-config.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import { treeOf } from '../../git/read/commit-graph.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { RunEvent, SavedWork } from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import { attemptId } from '../../schema/ids.ts';
import { Usage } from '../../schema/usage.ts';
import type { Fleet } from '../../store/fleet.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { concludeAttempt, type EndedAttempt } from '../attempt/conclude-attempt.ts';
import { interruptible } from '../attempt/interrupt-attempt.ts';
import { SETUP_GATE } from '../land/evidence.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { CallAnswers } from './answer-calls.ts';
import { type AttemptCommand, type AttemptReport, readReport } from './attempt-order.ts';
import { exchangeUrl } from './exchange.ts';
import { recordTranscript } from './record-transcript.ts';
import { sealText } from './sealed-text.ts';
import { SpendingGuard } from './spending-guard.ts';

/** `isAdopted`: an earlier leader ordered it. */
type Following = { task: TaskState; fleet: Fleet; isAdopted?: boolean };
type Ended = Extract<AttemptReport, { kind: 'ended' }>;

const NOT_STARTED = { result: { usage: { kind: 'none' }, text: '' }, digest: undefined, model: undefined } as const;
/** How long before work is fetched again from a repository that does not answer. */
const FETCH_AGAIN_MS = 5_000;

/** Follows an attempt that a host performs to its end, records what the host reports, and concludes it; also one that an earlier leader ordered. */
export async function followAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  { task, fleet, isAdopted = false }: Following,
): Promise<void> {
  const attempt = lastAttempt(task);
  if (attempt === undefined) throw new Error(`Task ${task.spec.key} was never claimed`);
  const id = attemptId(run.id, task.ordinal, attempt.number);
  using interrupted = interruptible(run, task);
  const send = (command: AttemptCommand) => fleet.send(id, command);
  // An order that is not accepted yet is never performed; otherwise the host gets the command.
  const stop = (command: AttemptCommand) => fleet.withdraw(id).then(() => send(command));
  using stops = new StopCommands(ctx, run, { interrupt: interrupted.signal, send: stop });
  using calls = new CallAnswers(ctx, run, { task, id, send });
  const spending = new SpendingGuard(ctx, run, { task, attempt, send });
  // Safe: calls that are not repeated end with the attempt.
  if (isAdopted) send({ kind: 'repeat-calls' }).catch(() => {});
  const step = { kind: 'waiting' as const, what: `waits for the host ${attempt.host}` };
  using waiting = ctx.activities.begin({ run, tasks: [task.spec.key] }, step);
  let unreadable: Failure | undefined;
  for await (const report of fleet.follow(id, stops.left)) {
    waiting[Symbol.dispose]();
    if (report.kind === 'lost') return conclude(ctx, run, lostAttempt(ctx, { task, id, reason: report.reason }));
    const found = readReport(report.body);
    if (found.kind === 'ended')
      return conclude(ctx, run, await endedAttempt(ctx, run, { task, id, report: found, spending }), unreadable);
    if (found.kind === 'unreadable') {
      const message = `The host ${attempt.host} sent a report that cannot be read`;
      unreadable ??= { kind: 'environment', message };
      if (found.isEnd) return conclude(ctx, run, lostAttempt(ctx, { task, id, reason: message }), unreadable);
      // Its agent ends before the task can start again. Safe: it is sent until another server leads, which reads the report again.
      send({ kind: 'stop', force: true, reason: message }).catch(() => {});
      continue;
    }
    // Not awaited while the database does not answer: until they arrive the host reports nothing more.
    const sent = found.kind === 'secrets' ? sendSecrets(run, { task, id, fleet }) : Promise.resolve();
    if (found.kind === 'call') calls.begin(found.number, found.request);
    else if (found.kind === 'call-ended') calls.end(found.number);
    else if (found.kind === 'transcript' || found.kind === 'events')
      await record(ctx, run, { task, id, report: found });
    if (found.kind === 'events') spending.check();
    // Safe: a report that is not acknowledged is read again, and recorded once.
    sent.then(() => fleet.acknowledge(id, report.sequence)).catch(() => {});
  }
}

/** Concludes an attempt, if this leader does; an attempt whose reports could not be read was stopped for that reason. */
async function conclude(
  ctx: EngineContext,
  run: ActiveRun,
  ended: EndedAttempt | undefined,
  unreadable?: Failure,
): Promise<void> {
  if (ended === undefined) return;
  const { outcome } = ended;
  await concludeAttempt(
    ctx,
    run,
    unreadable === undefined ? ended : { ...ended, outcome: { ...outcome, stopped: unreadable } },
  );
}

/** Tells the host to stop when the run, the task or the engine ends; `left` is aborted when the next leader continues instead. */
class StopCommands implements Disposable {
  readonly #left = new AbortController();
  readonly #stops: readonly AbortSignal[];
  readonly #onStop: () => void;

  constructor(
    ctx: EngineContext,
    run: ActiveRun,
    { interrupt, send }: { interrupt: AbortSignal; send: (command: AttemptCommand) => Promise<void> },
  ) {
    this.#stops = [interrupt, run.force.signal, run.cancel.signal, ctx.stopping];
    this.#onStop = () => {
      if (ctx.leaving.aborted && !run.cancel.signal.aborted) return this.#left.abort();
      const reason = ctx.stopping.aborted
        ? 'The engine was stopped'
        : run.cancel.signal.aborted
          ? 'The run was cancelled'
          : 'A person interrupted it';
      // Safe: it is sent until another server leads, which sends it again.
      send({ kind: 'stop', force: run.force.signal.aborted, reason }).catch(() => {});
    };
    for (const signal of this.#stops) signal.addEventListener('abort', this.#onStop);
    if (this.#stops.some((signal) => signal.aborted)) this.#onStop();
  }

  get left(): AbortSignal {
    return this.#left.signal;
  }

  [Symbol.dispose](): void {
    for (const signal of this.#stops) signal.removeEventListener('abort', this.#onStop);
  }
}

/** Sends the values of variables to the process that performs the attempt, which alone can read them. */
async function sendSecrets(run: ActiveRun, { task, id, fleet }: Following & { id: string }): Promise<void> {
  const attempt = lastAttempt(task);
  const host = fleet.hosts.find(({ name }) => name === attempt?.host);
  if (attempt === undefined || host?.sealKey === undefined) return;
  const sealed = sealText(JSON.stringify(valuesFor(run.config, attempt.agent)), host.sealKey, id);
  const command: AttemptCommand = { kind: 'secrets', sealed };
  await fleet.send(id, command);
}

type Recorded = Extract<AttemptReport, { kind: 'transcript' | 'events' }>;
type Recording = { task: TaskState; id: string; report: Recorded };

async function record(ctx: EngineContext, run: ActiveRun, { task, id, report }: Recording): Promise<void> {
  if (report.kind === 'transcript') return recordTranscript(ctx, run, id, report);
  for (const event of report.events) await recordEvent(ctx, run, task, event);
}

/** A host may report only what happens to its own attempt; a report of one that has ended in between changes nothing. */
async function recordEvent(ctx: EngineContext, run: ActiveRun, task: TaskState, event: RunEvent): Promise<void> {
  const of = { task: task.spec.key, attempt: task.attempts.length };
  try {
    switch (event.type) {
      case 'attempt.spawned':
        await ctx.submit(run, (state) => recordSpawn(state, { ...of, process: event.data.process })).committed;
        return;
      case 'attempt.used':
        await ctx.submit(run, (state) => recordUsage(state, { ...of, usage: event.data.usage })).committed;
        return;
      case 'attempt.warned': {
        const { sign, message } = event.data;
        await ctx.submit(run, (state) => warnOf(state, { ...of, warnings: [{ sign, message }] })).committed;
        return;
      }
      case 'gate.ended': {
        const { commit, evidence } = event.data;
        if (evidence.gate === SETUP_GATE.name)
          await ctx.submit(run, () => recordGate([of.task], commit, evidence)).committed;
        return;
      }
    }
  } catch (error) {
    if (isStoreFailure(error) || !(error instanceof AppError) || error.code !== 'REFUSED') throw error;
  }
}

type Ending = { task: TaskState; id: string; report: Ended; spending: SpendingGuard };

/** The end that a host reported, with its work in our mirror; undefined if the next leader fetches it. */
async function endedAttempt(
  ctx: EngineContext,
  run: ActiveRun,
  { task, id, report, spending }: Ending,
): Promise<EndedAttempt | undefined> {
  const { outcome, saved, network, isUnread } = report;
  const attempt = lastAttempt(task);
  if (attempt === undefined) return undefined;
  const fetched = saved === undefined ? { saved: undefined } : await fetchWork(ctx, run, { id, saved, task });
  if (fetched === undefined) return undefined;
  const stopped = outcome.stopped ?? fetched.failure;
  const { digest, model, result } = outcome;
  return {
    task,
    attempt,
    workspace: undefined,
    outcome: { ...outcome, digest, model, stopped, ...spending.judge(stopped, result.usage) },
    remote: { saved: fetched.saved, network },
    ...(isUnread === undefined ? {} : { isUnread }),
  } as EndedAttempt;
}

type Fetched = { saved: SavedWork | undefined; failure?: Failure };

/** Fetches saved work, however long its repository does not answer; what is there must be what the host reported. */
async function fetchWork(
  ctx: EngineContext,
  run: ActiveRun,
  { id, saved, task }: { id: string; saved: SavedWork; task: TaskState },
): Promise<Fetched | undefined> {
  const { mirror } = run.project;
  const prefix = `refs/manyhands/attempts/${id}/`;
  const url = exchangeUrl(ctx, run.ledger.state.start.config);
  if (url === undefined || !saved.ref.startsWith(prefix)) return unusable(`it names the ref ${saved.ref}`);
  const what = { kind: 'mirror' as const, what: 'fetches the work from the repository of the hosts' };
  using step = ctx.activities.begin({ run, tasks: [task.spec.key] }, what);
  while ((await readRef(mirror, saved.ref)) !== saved.commit) {
    const fetched = await ctx.hosts?.exchange.fetch(ctx, { mirror, url, prefix }).catch((error: unknown) => {
      if (ctx.stopping.aborted) return undefined;
      throw error;
    });
    if (fetched === undefined) return undefined;
    if (fetched.kind === 'done') {
      if ((await readRef(mirror, saved.ref)) === saved.commit) break;
      return unusable(`${saved.ref} is not the commit ${saved.commit.slice(0, 10)}`);
    }
    if (fetched.reason === 'rejected') return unusable(fetched.detail);
    step.update({ kind: 'waiting', what: `waits for the repository of the hosts (hosts.git): ${fetched.detail}` });
    const isOver = await ctx.world.sleep(FETCH_AGAIN_MS, AbortSignal.any([ctx.stopping, run.cancel.signal])).then(
      () => false,
      () => true,
    );
    if (ctx.stopping.aborted) return undefined;
    if (isOver) return unusable('the run was cancelled before it was fetched');
  }
  const tree = await treeOf(mirror, saved.commit).catch((error: unknown) => messageOf(error));
  ctx.hosts?.exchange.note(url, [saved.commit]);
  return tree === saved.tree ? { saved } : unusable(`the tree of ${saved.commit.slice(0, 10)} is another one`);
}

function unusable(why: string): Fetched {
  const message = `The work that its host saved cannot be used: ${why}`;
  return { saved: undefined, failure: { kind: 'environment', message } };
}

/** An attempt whose host is lost: it is charged with what was reported, and its task starts again. */
function lostAttempt(
  ctx: EngineContext,
  { task, id, reason }: { task: TaskState; id: string; reason: string },
): EndedAttempt | undefined {
  const attempt = lastAttempt(task);
  if (attempt === undefined) return undefined;
  const known = Usage.safeParse(ctx.store.usage(id)).data;
  const usage = known ?? (attempt.process === null ? { kind: 'none' as const } : { kind: 'unknown' as const });
  const stopped: Failure = { kind: 'interrupted', message: reason };
  const outcome = { ...NOT_STARTED, result: { usage, text: '' }, stopped };
  return { task, attempt, workspace: undefined, outcome };
}
