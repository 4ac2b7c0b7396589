import type { Evidence, Measure } from '../../schema/gate.ts';

/** The result of a command, as far as it can be measured. */
type Measured = Pick<Evidence, 'verdict' | 'exitCode' | 'durationMs' | 'output' | 'tests'>;

/** A duration must become shorter by this part: less is noise of the machine. */
const LEAST_SPEED_UP = 0.1;
/** Codes of a shell that could not start the program. */
const NOT_STARTED = new Set([126, 127]);
const NUMBER = /[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi;

/** The value that a finished command shows; undefined where it shows none. */
export function measuredValue({ metric }: Measure, result: Measured): number | undefined {
  const { verdict, exitCode, durationMs, output = '', tests } = result;
  if (verdict === 'error' || exitCode === null || NOT_STARTED.has(exitCode)) return undefined;
  switch (metric) {
    case 'exit':
      return exitCode === 0 && verdict === 'pass' ? 0 : 1;
    case 'number': {
      const last = output.match(NUMBER)?.at(-1);
      return last === undefined ? undefined : Number(last);
    }
    case 'tests':
      return tests === undefined || tests.runners.length === 0 ? undefined : tests.passed;
    case 'duration':
      return exitCode === 0 ? durationMs : undefined;
  }
}

/** Whether a value is measurably better than the one before. */
export function isBetter({ metric, better }: Measure, before: number, after: number): boolean {
  if (metric === 'duration') return after <= before * (1 - LEAST_SPEED_UP);
  return better === 'lower' ? after < before : after > before;
}

/** Whether a value is worse than the one before; durations vary too much to say so after the fact. */
export function isWorse({ metric, better }: Measure, before: number, after: number): boolean {
  return metric !== 'duration' && (better === 'lower' ? after > before : after < before);
}

/** A change of a value as people read it. */
export function changeText({ metric, better }: Measure, before: number | null, after: number | null): string {
  const text = (value: number | null) => (value === null ? 'nothing' : valueText(metric, value));
  return `${text(before)} before, ${text(after)} after (${metric === 'exit' ? 'it must pass' : `${better} is better`})`;
}

/** A value with its unit. */
export function valueText(metric: Measure['metric'], value: number): string {
  switch (metric) {
    case 'exit':
      return value === 0 ? 'passes' : 'fails';
    case 'number':
      return String(value);
    case 'tests':
      return `${value} passing tests`;
    case 'duration':
      return `${(value / 1000).toFixed(2)} s`;
  }
}
