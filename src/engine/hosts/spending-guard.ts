import type { TaskState } from '../../core/run/state.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import { leftForAttempt } from '../attempt/supervise.ts';
import { overCap } from '../attempt/watchdog.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import type { AttemptCommand } from './attempt-order.ts';

type Guarded = {
  task: TaskState;
  attempt: TaskState['attempts'][number];
  send(command: AttemptCommand): Promise<void>;
};

/** Holds an attempt on a host to the spending caps of its agent: only the leader knows what all attempts spent. */
export class SpendingGuard {
  readonly #ctx: EngineContext;
  readonly #run: ActiveRun;
  readonly #guarded: Guarded;
  #failure: Failure | undefined;

  constructor(ctx: EngineContext, run: ActiveRun, guarded: Guarded) {
    this.#ctx = ctx;
    this.#run = run;
    this.#guarded = guarded;
  }

  /** Tells the host to stop, once, when what was reported is over a cap. */
  check(): void {
    if (this.#failure !== undefined) return;
    const { task, attempt, send } = this.#guarded;
    const reported = this.#run.ledger.state.tasks[task.spec.key]?.attempts[attempt.number - 1];
    this.#failure = this.#excess(reported?.usage ?? attempt.usage);
    if (this.#failure === undefined) return;
    // Safe: the next report of usage is over the cap too, and the end of the attempt is judged again.
    send({ kind: 'stop', force: false, reason: this.#failure.message }).catch(() => {
      this.#failure = undefined;
    });
  }

  /** Why the attempt failed, where this guard stopped it or it ended over a cap by itself; other reasons come first. */
  judge(stopped: Failure | undefined, usage: Usage): { stopped: Failure; isOverCap: true } | undefined {
    const isStoppedHere = this.#failure !== undefined && stopped?.kind === 'interrupted';
    if (stopped !== undefined && !isStoppedHere) return undefined;
    const failure = this.#failure ?? this.#excess(usage);
    return failure === undefined ? undefined : { stopped: failure, isOverCap: true };
  }

  #excess(usage: Usage): Failure | undefined {
    if (usage.kind !== 'known') return undefined;
    return overCap(usage, leftForAttempt(this.#ctx, this.#run, this.#guarded));
  }
}
