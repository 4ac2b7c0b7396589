import { endAttempt, recordUsage, startAttempt } from '../../src/core/attempt/decide-attempt.ts';
import { sendMessage } from '../../src/core/attempt/decide-message.ts';
import { verdictOf } from '../../src/core/finish/verdict.ts';
import { completeLanding, conflictLanding, holdLanding, rejectLanding } from '../../src/core/land/decide-landing.ts';
import { addTasks } from '../../src/core/run/add-tasks.ts';
import { approve } from '../../src/core/run/answer-hold.ts';
import { cancelRun, endRun, holdRun, retryTasks } from '../../src/core/run/decide-run.ts';
import { endFailed } from '../../src/core/run/end-tasks.ts';
import { evolve } from '../../src/core/run/evolve.ts';
import { requeueTasks } from '../../src/core/run/requeue.ts';
import { openTasks, type RunState, type TaskState } from '../../src/core/run/state.ts';
import type { HostsInput } from '../../src/core/schedule/hosts.ts';
import { type Intent, next } from '../../src/core/schedule/schedule-next.ts';
import { AppError } from '../../src/errors.ts';
import { followUp } from '../../src/failures/registry.ts';
import type { RunEvent, RunEventOf } from '../../src/schema/event.ts';
import type { FailureKind } from '../../src/schema/failure.ts';
import type { TaskSpec } from '../../src/schema/task.ts';
import type { Usage } from '../../src/schema/usage.ts';
import { failure, T0 } from './given.ts';
import { requireConsistent } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { replay } from './replay.ts';
import { requireStartable, type SimulatedAttempt, savedBy, taskIn, usageOf } from './simulated-attempt.ts';

export type SimulatedRun = { state: RunState; log: string[]; later: TaskSpec[] };
export type AttemptOutcome = 'changed' | 'unchanged' | FailureKind;
export type LandingOutcome = 'green' | 'red' | 'conflict' | 'held';

/** The most that one model call costs in here. */
export const CALL_USD = 0.3;

/** The slots of this machine, or of each host where hosts perform the attempts, and the most attempts of each agent. */
type Limits = { slots: number; hosts?: Readonly<Record<string, number>>; maxParallel: Record<string, number> };

/** A world without agents, git or a clock: it does what `next` wants, when and how it is told, and checks the rules at every step. */
export class Simulation {
  now = T0;
  readonly runs = new Map<string, SimulatedRun>();
  /** Programs that run; they outlive a crash. */
  readonly live = new Map<string, SimulatedAttempt>();
  /** What the engine remembers without having recorded it; a crash forgets it. */
  claims = new Map<string, Intent>();
  readonly resting: Record<string, number> = {};
  readonly ledger: Ledger;
  readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
    this.ledger = new Ledger(CALL_USD);
  }

  start(event: RunEventOf<'run.started'>, tasks: TaskSpec[], later: TaskSpec[]): void {
    const state = evolve(undefined, { event, at: this.now });
    this.runs.set(event.data.run, { state, log: [JSON.stringify({ event, at: this.now })], later });
    this.submit(event.data.run, (run) => addTasks(run, tasks));
  }

  /** Decides and records; a refusal changes nothing and is told by `false`. */
  submit(id: string, decide: (state: RunState) => RunEvent[]): boolean {
    const run = this.run(id);
    const { version } = run.state;
    try {
      for (const event of decide(run.state)) this.record(run, event);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'REFUSED' && error.code !== 'CONFLICT')) throw error;
      if (run.state.version !== version) throw new Error('a refused command changed the state');
      return false;
    }
    requireConsistent(run.state);
    return true;
  }

  /** Asks what should be done, and claims it. */
  admit(): { expected: number; wakeAt: number | undefined } {
    const live = this.states().filter((state) => state.status.kind !== 'ended');
    const admission = next(live, {
      now: this.now,
      slots: this.limits.slots - this.live.size - this.claimedAttempts().length,
      availability: { rateLimited: this.resting, busy: this.busy(), maxParallel: this.limits.maxParallel },
      projects: this.ledger.endedByProject(this.states()),
      claimed: new Set(
        [...this.claims.values()].flatMap((claim) => (claim.do === 'land' ? [] : [`${claim.run} ${claim.task}`])),
      ),
      landing: new Set([...this.claims.values()].flatMap((claim) => (claim.do === 'land' ? [claim.run] : []))),
      outside: Object.fromEntries(this.states().map((state) => [state.start.run, statusOf(state)])),
      ...this.fleet(),
    });
    for (const intent of admission.intents) this.claim(intent);
    this.requireLimits();
    return { expected: admission.intents.length, wakeAt: admission.wakeAt };
  }

  /** Carries out one claim. */
  perform(key: string, landing: LandingOutcome): void {
    const claim = this.claims.get(key);
    if (claim === undefined) return;
    this.claims.delete(key);
    if (claim.do === 'attempt') this.startAttempt(claim);
    if (claim.do === 'land') this.land(claim.run, landing);
    if (claim.do === 'give-up') {
      const why = { reason: claim.reason, failure: failure(claim.kind, claim.reason) };
      this.submit(claim.run, (state) =>
        taskIn(state, claim.task).phase.status === 'ready' ? endFailed(state, taskIn(state, claim.task), why) : [],
      );
    }
  }

  /** One model call of a live attempt; the engine stops an attempt that has used up its reservation. */
  call(key: string, costUsd: number): void {
    const live = this.live.get(key);
    if (live === undefined || (live.reservedUsd > 0 && live.usedUsd >= live.reservedUsd)) return;
    live.usedUsd += Math.min(costUsd, CALL_USD);
    this.submit(live.run, (state) =>
      recordUsage(state, { task: live.task, attempt: live.attempt, usage: usageOf(live) }),
    );
  }

  finishAttempt(key: string, outcome: AttemptOutcome, isUsageKnown = true): void {
    const live = this.live.get(key);
    if (live === undefined) return;
    this.live.delete(key);
    const { task, attempt } = live;
    const usage: Usage = live.usedUsd === 0 ? { kind: 'none' } : isUsageKnown ? usageOf(live) : { kind: 'unknown' };
    const end = { task, attempt, usage, summary: `${task} ended`, now: this.now };
    const isSuccess = outcome === 'changed' || outcome === 'unchanged';
    const recorded = this.submit(live.run, (state) => {
      if (isSuccess) return endAttempt(state, { ...end, saved: savedBy(live, outcome === 'changed') });
      const follow = followUp(failure(outcome), { attempt, now: this.now });
      if (follow.action === 'switch') this.resting[live.agent] = follow.limitedUntil;
      return endAttempt(state, { ...end, failure: failure(outcome), follow });
    });
    if (!recorded) throw new Error(`the end of a live attempt at ${task} was refused`);
  }

  /** The end of an attempt that ended long ago must have no effect. */
  zombie(id: string, task: TaskState): void {
    const attempt = task.attempts.find((one) => one.ended !== null)?.number;
    if (attempt === undefined) return;
    const end = { task: task.spec.key, attempt, usage: { kind: 'none' } as const, summary: '', now: this.now };
    if (this.submit(id, (state) => endAttempt(state, end)))
      throw new Error(`${task.spec.key} took a dead attempt's word`);
  }

  /** Kills the engine and starts it again: what was only remembered is gone, what was recorded is folded again. */
  crash(): void {
    this.claims = new Map();
    for (const run of this.runs.values()) run.state = replay(run.log, run.state);
  }

  /** What the engine does by itself when nothing is open: ask the recipe for more, or end the run. */
  settle(): void {
    for (const [id, run] of this.runs) {
      if (run.state.status.kind === 'ended' || run.state.status.kind === 'held' || openTasks(run.state) > 0) continue;
      if (!this.unfold(id)) this.submit(id, (state) => endRun(state, verdictOf(state)));
    }
  }

  unfold(id: string): boolean {
    const run = this.run(id);
    if (run.state.status.kind === 'ended' || run.state.status.kind === 'cancelling') return false;
    const specs = run.later.splice(0);
    return specs.length > 0 && this.submit(id, (state) => addTasks(state, specs));
  }

  approve = (id: string) => this.submit(id, (state) => approve(state, {}));
  cancel = (id: string) => this.submit(id, (state) => cancelRun(state, 'a person said so'));
  hold = (id: string) => this.submit(id, (state) => holdRun(state, { what: 'plan', reason: 'look at it', files: [] }));
  retry = (id: string, task?: string) =>
    this.submit(id, (state) => retryTasks(state, { reason: 'again', ...(task === undefined ? {} : { task }) }));
  requeue = (id: string, task: string) => this.submit(id, (state) => requeueTasks(state, { reason: 'again', task }));
  send = (id: string, task: string) =>
    this.submit(id, (state) => sendMessage(state, { task, message: 'Use tabs', comments: [], now: this.now }));

  states(): RunState[] {
    return [...this.runs.values()].map((run) => run.state);
  }

  run(id: string): SimulatedRun {
    const run = this.runs.get(id);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run;
  }

  private claim(intent: Intent): void {
    const key = intent.do === 'land' ? `${intent.run} land` : `${intent.run} ${intent.task}`;
    if (this.claims.has(key) || this.live.has(key)) throw new Error(`${key} is wanted twice`);
    this.claims.set(key, intent);
    if (intent.do !== 'attempt') return;
    this.ledger.admitted(intent.run, this.states(), this.claimedAttempts());
  }

  private startAttempt(claim: Extract<Intent, { do: 'attempt' }>): void {
    const { run, task, agent, because, reservation, host } = claim;
    const base = this.run(run).state.tip.commit;
    const on = host === undefined ? {} : { host };
    if (!this.submit(run, (state) => startAttempt(state, { task, agent, because, base, reservation, ...on }))) return;
    const attempt = taskIn(this.run(run).state, task).attempts.length;
    this.live.set(`${run} ${task}`, { run, task, attempt, agent, host, usedUsd: 0, reservedUsd: reservation.costUsd });
  }

  private land(id: string, outcome: LandingOutcome): void {
    const { state } = this.run(id);
    const [first, ...others] = Object.keys(state.landing);
    if (first === undefined) return;
    const phase = taskIn(state, first).phase;
    const isApproved = phase.status === 'landing' && phase.approved;
    if (outcome === 'red') {
      const red = failure('tests');
      const from = { commit: `candidate-${state.version}`, base: state.tip.commit };
      const follow = followUp(red, { attempt: 1, now: this.now });
      this.submit(id, (run) => rejectLanding(run, { task: first, failure: red, follow, from, now: this.now }));
    } else if (outcome === 'conflict') {
      this.submit(id, (run) =>
        conflictLanding(run, { task: first, onto: run.tip.commit, files: ['a.txt'], now: this.now }),
      );
    } else if (outcome === 'held' && !isApproved) {
      this.submit(id, (run) => holdLanding(run, { task: first, hold: { what: 'guard', reason: 'look', files: [] } }));
    } else {
      const commit = `landed-${state.version}`;
      this.submit(id, (run) =>
        completeLanding(run, { tasks: [first, ...others], from: run.tip.commit, commit, tree: commit }),
      );
    }
  }

  private record(run: SimulatedRun, event: RunEvent): void {
    if (event.type === 'attempt.started') requireStartable(run.state, event.data.task);
    run.log.push(JSON.stringify({ event, at: this.now }));
    run.state = evolve(run.state, { event, at: this.now });
    this.ledger.recorded(run.state, this.states(), event);
  }

  private claimedAttempts(): Extract<Intent, { do: 'attempt' }>[] {
    return [...this.claims.values()].filter((claim) => claim.do === 'attempt');
  }

  private busy(): Record<string, number> {
    const busy: Record<string, number> = {};
    for (const { agent } of [...this.live.values(), ...this.claimedAttempts()]) busy[agent] = (busy[agent] ?? 0) + 1;
    return busy;
  }

  /** The hosts as the engine describes them: what runs there is not free, what is claimed is named. */
  private fleet(): { fleet?: HostsInput } {
    const { hosts } = this.limits;
    if (hosts === undefined) return {};
    const live = (name: string) => [...this.live.values()].filter(({ host }) => host === name).length;
    return {
      fleet: {
        hosts: Object.entries(hosts).map(([name, slots]) => {
          return { name, slots, free: slots - live(name), agents: ['one', 'two'], labels: [], rateLimited: {} };
        }),
        claimed: new Map(this.claimedAttempts().map(({ run, task, host = '' }) => [`${run} ${task}`, host])),
      },
    };
  }

  private requireHostLimits(hosts: Readonly<Record<string, number>>): void {
    const starts = [...this.live.values(), ...this.claimedAttempts().filter((claim) => this.canStart(claim))];
    for (const { host } of starts) if (hosts[host ?? ''] === undefined) throw new Error(`there is no host ${host}`);
    for (const [name, slots] of Object.entries(hosts))
      if (starts.filter(({ host }) => host === name).length > slots)
        throw new Error(`${name} has more orders than slots`);
  }

  /** Whether a claim can still become an order: the start of a task that was cancelled is refused. */
  private canStart({ run, task }: Extract<Intent, { do: 'attempt' }>): boolean {
    const { state } = this.run(run);
    return state.status.kind !== 'ended' && taskIn(state, task).phase.status === 'ready';
  }

  private requireLimits(): void {
    if (this.limits.hosts !== undefined) this.requireHostLimits(this.limits.hosts);
    else if (this.live.size + this.claimedAttempts().length > this.limits.slots)
      throw new Error('more attempts than slots');
    for (const [agent, count] of Object.entries(this.busy())) {
      if (count > (this.limits.maxParallel[agent] ?? count)) throw new Error(`${agent} has more attempts than it may`);
    }
  }
}

function statusOf(state: RunState): 'open' | 'done' | 'failed' {
  if (state.status.kind !== 'ended') return 'open';
  return state.status.status === 'done' || state.status.status === 'unverified' ? 'done' : 'failed';
}
