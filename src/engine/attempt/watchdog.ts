import {
  type AttemptMetrics,
  nextWarningAt,
  softOutputBytes,
  type Warning,
  warningsFor,
} from '../../core/attempt/health.ts';
import type { Failure } from '../../schema/failure.ts';
import type { HealthThresholds } from '../../schema/health.ts';
import type { TaskLimits } from '../../schema/task.ts';
import type { Spend, Usage } from '../../schema/usage.ts';
import type { World } from '../../world.ts';

export type WatchdogOptions = {
  limits: TaskLimits;
  reservation: Spend;
  startedAt: number;
  world: World;
  thresholds: HealthThresholds;
  /** Called when something about the attempt deserves a warning; the same may be told again. */
  warn: (warnings: Warning[]) => void;
  /** Called once, with the reason for which the attempt must stop. */
  stop: (failure: Failure) => void;
};

/** Holds one attempt to its limits: silence, time, output, turns and money. */
export class Watchdog {
  #lastSign: number;
  #usage: Usage = { kind: 'none' };
  #bytes = 0;
  #done = false;
  #cancelAlarm: () => void = () => {};
  readonly #options: WatchdogOptions;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#lastSign = options.world.now();
    this.#arm();
  }

  /** The attempt said something: so many bytes so far, and this usage. */
  heard(bytes: number, usage: Usage): void {
    const { limits, reservation } = this.#options;
    const isMuch = bytes > softOutputBytes(limits) && this.#bytes <= softOutputBytes(limits);
    const isNews = usage.kind === 'known' && usage !== this.#usage;
    this.#lastSign = this.#options.world.now();
    this.#bytes = bytes;
    if (isNews) this.#usage = usage;
    if (isNews || isMuch) this.#look();
    if (bytes > limits.outputBytes && limits.output?.onMax !== 'truncate') {
      this.#stop({ kind: 'budget', message: `It wrote more than ${limits.outputBytes} bytes of output` });
    }
    if (usage.kind !== 'known') return;
    if (limits.turns !== undefined && usage.turns > limits.turns) {
      this.#stop({ kind: 'budget', message: `It used more than ${limits.turns} turns` });
    }
    const cap = limits.costUsd ?? (reservation.costUsd > 0 ? reservation.costUsd : undefined);
    if (cap !== undefined && usage.costUsd > cap) {
      this.#stop({ kind: 'budget', message: `It spent $${usage.costUsd.toFixed(2)} of $${cap.toFixed(2)}` });
    }
  }

  close(): void {
    this.#done = true;
    this.#cancelAlarm();
  }

  #arm(): void {
    const { limits, startedAt, world } = this.#options;
    const now = world.now();
    const dueAt = Math.min(
      this.#lastSign + limits.inactivityMs,
      startedAt + limits.runtimeMs,
      nextWarningAt(this.#metrics(), now),
    );
    this.#cancelAlarm = world.alarm(dueAt, () => this.#ring());
  }

  #ring(): void {
    const { limits, startedAt, world } = this.#options;
    const now = world.now();
    this.#look();
    if (now >= startedAt + limits.runtimeMs) {
      this.#stop({ kind: 'timeout', message: `It took longer than ${limits.runtimeMs / 1000} s` });
    } else if (now >= this.#lastSign + limits.inactivityMs) {
      this.#stop({ kind: 'stalled', message: `It said nothing for ${limits.inactivityMs / 1000} s` });
    } else if (!this.#done) this.#arm();
  }

  #look(): void {
    const warnings = warningsFor(this.#metrics(), this.#options.world.now());
    if (warnings.length > 0 && !this.#done) this.#options.warn(warnings);
  }

  #metrics(): AttemptMetrics {
    const { startedAt, limits, reservation, thresholds } = this.#options;
    return {
      startedAt,
      lastSignAt: this.#lastSign,
      usage: this.#usage,
      outputBytes: this.#bytes,
      limits,
      reservation,
      thresholds,
    };
  }

  #stop(failure: Failure): void {
    if (this.#done) return;
    this.close();
    this.#options.stop(failure);
  }
}
