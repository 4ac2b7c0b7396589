import {
  type AttemptMetrics,
  nextWarningAt,
  softOutputBytes,
  type Warning,
  warningsFor,
} from '../../core/attempt/health.ts';
import { momentText, moneyText } from '../../core/view/amounts.ts';
import type { HealthThresholds } from '../../schema/config/health.ts';
import type { Failure } from '../../schema/failure.ts';
import type { TaskLimits } from '../../schema/task.ts';
import type { Spend, Usage } from '../../schema/usage.ts';
import type { World } from '../../world.ts';

export type WatchdogOptions = {
  limits: TaskLimits;
  reservation: Spend;
  startedAt: number;
  world: World;
  thresholds: HealthThresholds;
  /** When its run stops, if it has a deadline; it may be changed while the attempt runs. */
  deadline?: () => number | undefined;
  /** Called with the warnings about the attempt; the same warning may be passed again. */
  warn: (warnings: Warning[]) => void;
  /** What is left of the spending caps of its agent for this attempt, if there is a cap. */
  leftOfCap?: () => { leftUsd: number; spent: string } | undefined;
  /** Called once, with the reason for which the attempt must stop. */
  stop: (failure: Failure, isOverCap: boolean) => void;
};

/** Enforces the limits of one attempt: inactivity, time, output, turns and cost. */
export class Watchdog {
  #lastActivityAt: number;
  #usage: Usage = { kind: 'none' };
  #bytes = 0;
  #done = false;
  #waitingSince: number | undefined;
  #waitedMs = 0;
  #cancelAlarm: () => void = () => {};
  readonly #options: WatchdogOptions;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#lastActivityAt = options.world.now();
    this.#arm();
  }

  /** Records output of the attempt: the bytes and usage so far. */
  recordActivity(bytes: number, usage: Usage): void {
    const { limits, reservation } = this.#options;
    const exceedsSoftLimit = bytes > softOutputBytes(limits) && this.#bytes <= softOutputBytes(limits);
    const isNewUsage = usage.kind === 'known' && usage !== this.#usage;
    this.#lastActivityAt = this.#options.world.now();
    this.#bytes = bytes;
    if (isNewUsage) this.#usage = usage;
    if (isNewUsage || exceedsSoftLimit) this.#warn();
    if (bytes > limits.outputBytes && limits.output?.onMax !== 'truncate') {
      this.#stop({
        kind: 'budget',
        message: `It wrote more than ${limits.outputBytes} bytes of output`,
        limit: 'output',
      });
    }
    if (usage.kind !== 'known') return;
    if (limits.turns !== undefined && usage.turns > limits.turns) {
      this.#stop({ kind: 'budget', message: `It used more than ${limits.turns} turns`, limit: 'turns' });
    }
    const cap = limits.costUsd ?? (reservation.costUsd > 0 ? reservation.costUsd : undefined);
    if (cap !== undefined && usage.costUsd > cap) {
      this.#stop({
        kind: 'budget',
        message: `It spent ${moneyText(usage.costUsd)} of ${moneyText(cap)}`,
        limit: 'cost',
      });
    }
    this.#checkCap(usage);
  }

  /** While the attempt waits in a tool call, neither its inactivity nor its time is measured. */
  setWaiting(isWaiting: boolean): void {
    const now = this.#options.world.now();
    this.#cancelAlarm();
    if (isWaiting) {
      this.#waitingSince = now;
      return;
    }
    this.#waitedMs += now - (this.#waitingSince ?? now);
    this.#waitingSince = undefined;
    this.#lastActivityAt = now;
    if (!this.#done) this.#arm();
  }

  /** An agent over its spending cap stops; the caps of the attempt itself come first. */
  #checkCap(usage: Extract<Usage, { kind: 'known' }>): void {
    const failure = overCap(usage, this.#options.leftOfCap?.());
    if (failure !== undefined) this.#stop(failure, true);
  }

  close(): void {
    this.#done = true;
    this.#cancelAlarm();
  }

  #arm(): void {
    const { limits, startedAt, world } = this.#options;
    const now = world.now();
    const dueAt = Math.min(
      this.#lastActivityAt + limits.inactivityMs,
      startedAt + this.#waitedMs + limits.runtimeMs,
      this.#deadline(),
      nextWarningAt(this.#metrics(), now),
    );
    this.#cancelAlarm = world.alarm(dueAt, () => this.#onAlarm());
  }

  #onAlarm(): void {
    const { limits, startedAt, world } = this.#options;
    const now = world.now();
    this.#warn();
    if (now >= this.#deadline()) {
      const message = `The run stopped at its deadline, ${momentText(this.#deadline())}`;
      this.#stop({ kind: 'timeout', message, limit: 'deadline' });
    } else if (now >= startedAt + this.#waitedMs + limits.runtimeMs) {
      this.#stop({ kind: 'timeout', message: `It took longer than ${limits.runtimeMs / 1000} s` });
    } else if (now >= this.#lastActivityAt + limits.inactivityMs) {
      this.#stop({ kind: 'stalled', message: `It wrote nothing for ${limits.inactivityMs / 1000} s` });
    } else if (!this.#done) this.#arm();
  }

  #deadline(): number {
    return this.#options.deadline?.() ?? Number.POSITIVE_INFINITY;
  }

  #warn(): void {
    const warnings = warningsFor(this.#metrics(), this.#options.world.now());
    if (warnings.length > 0 && !this.#done) this.#options.warn(warnings);
  }

  #metrics(): AttemptMetrics {
    const { startedAt, limits, reservation, thresholds } = this.#options;
    return {
      startedAt,
      lastSignAt: this.#lastActivityAt,
      usage: this.#usage,
      outputBytes: this.#bytes,
      limits,
      reservation,
      thresholds,
    };
  }

  #stop(failure: Failure, isOverCap = false): void {
    if (this.#done) return;
    this.close();
    this.#options.stop(failure, isOverCap);
  }
}

/** Why an attempt must stop that used more than is left of the spending caps of its agent. */
export function overCap(
  { costUsd }: Extract<Usage, { kind: 'known' }>,
  left: { leftUsd: number; spent: string } | undefined,
): Failure | undefined {
  if (left === undefined || costUsd <= left.leftUsd) return undefined;
  const message = `Spending cap of the agent exceeded: ${moneyText(costUsd)} in this attempt, ${left.spent} before it`;
  return { kind: 'budget', message };
}
