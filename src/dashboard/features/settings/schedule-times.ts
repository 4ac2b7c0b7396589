import type { RunOverview } from '../../../schema/overview.ts';

/** The units of an interval, in milliseconds. */
export const UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export type Unit = keyof typeof UNITS;

/** The runs of a project that wait for their time, the next one first. */
export function scheduledRuns(runs: readonly RunOverview[], dir: string): { run: RunOverview; nextAt: string }[] {
  return runs
    .flatMap((run) => (run.nextAt === null || run.hidden || run.project !== dir ? [] : [{ run, nextAt: run.nextAt }]))
    .sort((a, b) => a.nextAt.localeCompare(b.nextAt));
}

/** A time as a field for date and time shows it: local, to the minute. */
export function localMinute(at: string): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What the fields of a new schedule say; empty fields are left out. */
export function scheduleInput(fields: { when: string; every: string; unit: Unit; times: string }): {
  notBefore?: number;
  repeat?: { everyMs: number; times?: number };
} {
  const at = new Date(fields.when).getTime();
  const everyMs = Math.round(Number(fields.every) * UNITS[fields.unit]);
  const times = Number(fields.times);
  return {
    ...(Number.isNaN(at) ? {} : { notBefore: at }),
    ...(everyMs > 0 ? { repeat: { everyMs, ...(times > 0 ? { times } : {}) } } : {}),
  };
}
