import type { GivenValues } from '../../core/run/recorded-config.ts';
import { lastAttempt } from '../../core/run/state.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { HostOrder, OrderLimits } from '../../store/fleet.ts';
import type { Store } from '../../store/store.ts';
import { AttemptCommand, AttemptOrder, Secrets } from './attempt-order.ts';
import { CheckOrder } from './check-order.ts';
import type { ForwardedCalls } from './forwarded-calls.ts';
import { KeptOrders, saveLeftWork } from './kept-orders.ts';
import { type HostContext, type OrderedRun, openHostRun, openOrder } from './ordered-run.ts';
import { Outbox } from './outbox.ts';
import { failedCheck, performCheckOrder } from './perform-check-order.ts';
import { failedAttempt, performOrder } from './perform-order.ts';
import type { SealKeys } from './sealed-text.ts';

/** The lease, the orders and the reports of a host. */
interface Installation {
  renew(): Promise<{ isDraining: boolean } | undefined>;
  receive(
    most: () => OrderLimits,
    signal: AbortSignal,
  ): Promise<{ orders: HostOrder[]; commands: { id: string; body: unknown }[] }>;
  /** Lets `receive` look again, because more orders can be accepted. */
  wake(): void;
  report(reports: readonly { id: string; sequence: number; body: unknown }[]): Promise<boolean>;
}

type Parts = {
  context: HostContext;
  memory: Store;
  installation: Installation;
  slots: number;
  /** How many checks it runs at once, besides attempts. */
  checks: number;
  /** Tool calls of its agents, which the leader answers. */
  calls: ForwardedCalls;
  /** The kinds and names of agents that it offers; an order for another one is refused. */
  agents: readonly string[];
  keys: SealKeys;
  /** Called after each renewal, with the time that it took. */
  onRenewed(elapsedMs: number): void;
  log(line: string): void;
};

type Performing = {
  kind: HostOrder['kind'];
  ordered: OrderedRun | undefined;
  stop: AbortController;
  done: Promise<void>;
  secrets: PromiseWithResolvers<GivenValues>;
};

/** The lease of 30 s is renewed three times in it; after 20 s without a renewal this host does nothing more. */
const RENEW_MS = 10_000;
export const FENCE_MS = 20_000;
const RENEW_AGAIN_MS = 1_000;

/** A machine that performs the orders of an installation until it is stopped or loses its lease. */
export class Host {
  readonly #parts: Parts;
  readonly #outbox: Outbox;
  readonly #kept: KeptOrders;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  readonly #performing = new Map<string, Performing>();
  #isDraining = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#kept = new KeptOrders(parts.context.home);
    this.#outbox = new Outbox({
      world: parts.context.world,
      store: (reports) =>
        parts.installation.report(reports).catch((error: unknown) => {
          if (isRefused(error)) return false;
          throw error;
        }),
      onLost: () => this.#loseLease(),
    });
    parts.calls.connect((id, body) => this.#outbox.send(id, body));
  }

  /** Aborted when the leader accepts nothing of this process any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Performs orders until it is stopped, and resolves when its agents have ended and their work is saved. */
  async run(): Promise<void> {
    const renewing = this.#renewUntilOver();
    const over = AbortSignal.any([this.#stop.signal, this.#lost.signal]);
    // First, because the next attempt of a task uses the workspace of the last one.
    const { context, memory, log } = this.#parts;
    await saveLeftWork(this.#kept, { context, memory, log, stopping: over, lost: this.#lost.signal });
    while (!over.aborted) await this.#receive(over);
    for (const { stop } of this.#performing.values()) stop.abort();
    await Promise.all([...this.#performing.values()].map(({ done }) => done));
    this.#stop.abort();
    await renewing;
  }

  /** Begins to stop: agents are ended, and their work is saved and reported. */
  stop(): void {
    this.#stop.abort();
  }

  /** The lease is lost, because it could not be renewed in time: agents are ended at once, and their work is saved as late work. */
  fence(reason: string): void {
    this.#outbox.fail(reason);
  }

  /** Other hosts may begin with the tasks of this one soon, so its agents get no time to end by themselves. */
  #loseLease(): void {
    for (const { ordered } of this.#performing.values()) ordered?.run.force.abort();
    this.#lost.abort();
  }

  async #receive(over: AbortSignal): Promise<void> {
    const { installation, context } = this.#parts;
    try {
      const { orders, commands } = await installation.receive(() => this.#free(), over);
      for (const order of orders) this.#begin(order);
      for (const command of commands) this.#obey(command);
    } catch (error) {
      if (isRefused(error)) return this.fence(messageOf(error));
      const isOutage = error instanceof AppError && error.code === 'DATABASE_UNREACHABLE';
      if (!isOutage) this.#parts.log(`Orders cannot be received: ${messageOf(error)}`);
      // Safe: the pause ends early only when nothing more is received.
      await context.world.sleep(RENEW_AGAIN_MS, over).catch(() => {});
    }
  }

  /** How many more orders it accepts; an attempt that waits in a tool call holds no slot. */
  #free(): OrderLimits {
    const { slots, checks, context } = this.#parts;
    if (this.#isDraining) return { attempt: 0, check: 0 };
    const running = [...this.#performing.values()];
    const count = (of: HostOrder['kind']) => running.filter(({ kind }) => kind === of).length;
    const waiting = context.coordination.waits.tasks.size;
    return { attempt: Math.max(0, slots - count('attempt') + waiting), check: Math.max(0, checks - count('check')) };
  }

  #begin({ id, kind, body }: HostOrder): void {
    const stop = new AbortController();
    const secrets = Promise.withResolvers<GivenValues>();
    // Safe: one who waits for them gets the error.
    secrets.promise.catch(() => {});
    const performing: Performing = { kind, ordered: undefined, stop, done: Promise.resolve(), secrets };
    this.#performing.set(id, performing);
    const perform = kind === 'check' ? this.#check(id, body, performing) : this.#perform(id, body, performing);
    performing.done = perform
      .catch((error: unknown) => this.#fail(id, performing, error))
      .finally(() => {
        this.#performing.delete(id);
        this.#outbox.forget(id);
        this.#parts.calls.forget(id);
        this.#parts.installation.wake();
      });
  }

  async #perform(id: string, body: string, performing: Performing): Promise<void> {
    const { context, memory, log } = this.#parts;
    const order = AttemptOrder.parse(JSON.parse(body));
    await this.#kept.keep(id, body);
    const report = (what: unknown) => this.#outbox.send(id, what);
    const stopping = AbortSignal.any([performing.stop.signal, this.#lost.signal]);
    const secrets = order.hasSecrets ? await this.#fetchSecrets(report, performing, stopping) : {};
    const lost = this.#lost.signal;
    const own = this.#logOf(id);
    performing.ordered = await openOrder(context, order, { memory, report, stopping, lost, secrets, log: own });
    this.#requireAgent(performing.ordered);
    log(`${id} begins`);
    const forget = () => this.#kept.forget(id);
    await performOrder(performing.ordered, { order, report, lost, forget, log: own });
    log(`${id} ended`);
  }

  #logOf(id: string): (line: string) => void {
    return (line) => this.#parts.log(`${id} ${line}`);
  }

  async #check(id: string, body: string, performing: Performing): Promise<void> {
    const { context, memory, log } = this.#parts;
    const order = CheckOrder.parse(JSON.parse(body));
    const report = (what: unknown) => this.#outbox.send(id, what);
    const stopping = AbortSignal.any([performing.stop.signal, this.#lost.signal]);
    const options = { memory, report, stopping, lost: this.#lost.signal, secrets: {}, log: this.#logOf(id) };
    const opened = await openHostRun(context, { ...order, roles: {} }, options);
    log(`${id} begins`);
    await performCheckOrder(opened, order, report);
    log(`${id} ended`);
  }

  /** Asks the leader for the values of variables; the next leader answers where this one has ended. */
  async #fetchSecrets(
    report: (body: unknown) => Promise<void>,
    { secrets }: Performing,
    stopping: AbortSignal,
  ): Promise<GivenValues> {
    await report({ kind: 'secrets' });
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(new AppError('REFUSED', 'The order was stopped before its agent started'));
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    try {
      return await Promise.race([secrets.promise, stopped.promise]);
    } finally {
      stopping.removeEventListener('abort', stop);
    }
  }

  #requireAgent({ run, task }: OrderedRun): void {
    const { agents } = this.#parts;
    const name = lastAttempt(task)?.agent ?? '';
    const kind = run.agents.get(name)?.kind ?? '';
    if (!agents.includes(name) && !agents.includes(kind))
      throw new AppError('REFUSED', `This host does not offer the agent ${name}`);
  }

  /** Ends an order that cannot be performed at all. */
  async #fail(id: string, { kind, stop }: Performing, error: unknown): Promise<void> {
    this.#parts.log(`${id} failed: ${messageOf(error)}`);
    if (this.#lost.signal.aborted) return;
    const isStopped = stop.signal.aborted;
    const body = kind === 'check' ? failedCheck(error, isStopped) : failedAttempt(error, isStopped);
    // Safe: a report that is not accepted belongs to a lease that is lost.
    await this.#outbox.send(id, body).catch(() => {});
  }

  #obey({ id, body }: { id: string; body: unknown }): void {
    const performing = this.#performing.get(id);
    const command = AttemptCommand.safeParse(body);
    if (performing === undefined || !command.success) return;
    if (command.data.kind === 'secrets') {
      const { sealed } = command.data;
      // A text that this process cannot open ends the order.
      Promise.resolve()
        .then(() => Secrets.parse(JSON.parse(this.#parts.keys.open(sealed, id))))
        .then(performing.secrets.resolve, performing.secrets.reject);
      return;
    }
    if (command.data.kind === 'answer') {
      this.#parts.calls.answer(id, command.data);
      return;
    }
    if (command.data.kind === 'repeat-calls') {
      this.#parts.calls.repeat(id);
      return;
    }
    const { run, task } = performing.ordered ?? {};
    const interrupt = task === undefined ? undefined : run?.interrupts.get(task.spec.key);
    if (command.data.force) run?.force.abort();
    if (interrupt === undefined) performing.stop.abort();
    else interrupt.abort();
  }

  async #renewUntilOver(): Promise<void> {
    const { installation, context, onRenewed } = this.#parts;
    const over = AbortSignal.any([this.#stop.signal, this.#lost.signal]);
    const isFinished = () => this.#lost.signal.aborted || (over.aborted && this.#performing.size === 0);
    while (!isFinished()) {
      const began = performance.now();
      let pauseMs = RENEW_MS;
      try {
        const lease = await installation.renew();
        if (lease === undefined) return this.fence('The lease of this host was lost');
        onRenewed(performance.now() - began);
        if (this.#isDraining && !lease.isDraining) installation.wake();
        this.#isDraining = lease.isDraining;
      } catch (error) {
        if (isRefused(error)) return this.fence(messageOf(error));
        // Safe: without renewals the guard ends the agents in time.
        pauseMs = RENEW_AGAIN_MS;
      }
      await context.world
        .sleep(over.aborted ? RENEW_AGAIN_MS : pauseMs, over.aborted ? undefined : over)
        .catch(() => {});
    }
  }
}

/** Whether the login of this host was removed: its lease is going to end, and nothing of it is accepted. */
function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.code === 'DATABASE_REFUSED';
}
