import type { HealthSign, HealthThresholds } from '../../schema/config/health.ts';
import { SOFT_OUTPUT_BYTES, type TaskLimits } from '../../schema/task.ts';
import type { Spend, Usage } from '../../schema/usage.ts';
import { moneyText } from '../view/amounts.ts';

/** The metrics of a running attempt. */
export type AttemptMetrics = {
  startedAt: number;
  lastSignAt: number;
  usage: Usage;
  outputBytes: number;
  limits: TaskLimits;
  reservation: Spend;
  thresholds: HealthThresholds;
};

export type Warning = { sign: HealthSign; message: string };

/** The warnings about an attempt now. */
export function warningsFor(metrics: AttemptMetrics, now: number): Warning[] {
  const { limits, usage, thresholds, reservation } = metrics;
  const warnings: Warning[] = [];
  const silentMs = now - metrics.lastSignAt;
  const runningMs = now - metrics.startedAt;
  if (silentMs >= longestSilence(metrics))
    warnings.push({ sign: 'silent', message: `it has written nothing for ${seconds(silentMs)}` });
  if (runningMs >= thresholds.runningSeconds * 1000)
    warnings.push({ sign: 'long-running', message: `it has been running for ${seconds(runningMs)}` });
  if (runningMs >= limits.runtimeMs * thresholds.share) {
    warnings.push({
      sign: 'near-time-limit',
      message: `it has used ${seconds(runningMs)} of ${seconds(limits.runtimeMs)}`,
    });
  }
  if (metrics.outputBytes > softOutputBytes(limits))
    warnings.push({ sign: 'much-output', message: `it has written ${sizeText(metrics.outputBytes)} of output` });
  if (usage.kind !== 'known') return warnings;
  if (limits.turns !== undefined && usage.turns >= limits.turns * thresholds.share) {
    warnings.push({ sign: 'many-turns', message: `it has used ${usage.turns} of ${limits.turns} turns` });
  }
  const cap = limits.costUsd ?? (reservation.costUsd > 0 ? reservation.costUsd : undefined);
  if (cap !== undefined && usage.costUsd >= cap * thresholds.share) {
    warnings.push({ sign: 'near-budget', message: `it has spent ${moneyText(usage.costUsd)} of ${moneyText(cap)}` });
  }
  return warnings;
}

/** When the next warning by time alone may be due. */
export function nextWarningAt(metrics: AttemptMetrics, now: number): number {
  const { thresholds, limits, startedAt, lastSignAt } = metrics;
  const times = [
    lastSignAt + longestSilence(metrics),
    startedAt + thresholds.runningSeconds * 1000,
    startedAt + limits.runtimeMs * thresholds.share,
  ];
  return Math.min(...times.filter((at) => at > now), Number.MAX_SAFE_INTEGER);
}

/** The warning comes before the attempt is stopped for inactivity, whatever the thresholds say. */
function longestSilence({ thresholds, limits }: AttemptMetrics): number {
  return Math.min(thresholds.silentSeconds * 1000, limits.inactivityMs * thresholds.share);
}

/** The amount of output that causes a warning. */
export function softOutputBytes({ output }: Pick<TaskLimits, 'output'>): number {
  return output?.softBytes ?? SOFT_OUTPUT_BYTES;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  const whole = Math.round(ms / 1000);
  return whole < 120 ? `${whole} s` : `${Math.round(whole / 60)} min`;
}
