import type { Spend, Usage, UsageBy, UsageRow } from '../../schema/usage.ts';
import type { RunState } from '../run/state.ts';
import { chargeOf } from '../schedule/budget.ts';
import { dayText } from './amounts.ts';
import { attemptCharge } from './task-cost.ts';

/** The first and last day to include, and whether rows are split by day. */
type UsageDays = { since?: string | undefined; until?: string | undefined; daily?: boolean };

/** A charge of a run: an attempt, or a try of a small call. */
export type Charge = {
  run: string;
  project: string;
  what: 'attempts' | 'calls';
  by: string;
  role: string;
  at: number;
  usage: Usage;
  cost: number;
  /** Its usage is unknown, and nothing was reserved for it. */
  isUncharged: boolean;
};

/** The usage of runs by agent, model, run, project, role or day: each attempt and each small call counts once, unknown usage at its reservation. */
export function summarizeUsage(runs: Iterable<RunState>, by: UsageBy, days: UsageDays = {}): UsageRow[] {
  return summarizeCharges([...runs].flatMap(chargesOf), by, days);
}

/** All charges of a run so far. */
export function chargesOf(run: RunState): Charge[] {
  return [...attemptsOf(run), ...callsOf(run)];
}

/** The same from known charges. */
export function summarizeCharges(charges: Iterable<Charge>, by: UsageBy, days: UsageDays): UsageRow[] {
  const { since, until, daily = false } = days;
  const rows = new Map<string, UsageRow>();
  for (const charged of charges) {
    const day = dayOf(charged);
    if (day < (since ?? '') || day > (until ?? '9999')) continue;
    const name = nameOf(by, charged);
    const key = daily ? `${day} ${name}` : name;
    const row = rows.get(key) ?? emptyRow(name, daily ? day : undefined);
    rows.set(key, row);
    count(row, charged);
  }
  return [...rows.values()].sort((a, b) => {
    const days = (a.day ?? '').localeCompare(b.day ?? '');
    if (by === 'day' || days !== 0) return days || a.name.localeCompare(b.name);
    return b.cost - a.cost || a.name.localeCompare(b.name);
  });
}

function attemptsOf(run: RunState): Charge[] {
  return run.order.flatMap((key) => {
    const task = run.tasks[key];
    return (task?.attempts ?? []).map((attempt) => ({
      ...ownerOf(run),
      what: 'attempts' as const,
      by: attempt.agent,
      role: task?.spec.role ?? '',
      at: attempt.startedAt,
      usage: attempt.usage,
      cost: attemptCharge(attempt),
      isUncharged: isUncharged(attempt),
    }));
  });
}

function callsOf(run: RunState): Charge[] {
  return Object.values(run.calls).flatMap(({ kind, startedAt, ended }) =>
    (ended?.tries ?? []).map(({ by, usage, reservation }) => ({
      ...ownerOf(run),
      what: 'calls' as const,
      by,
      role: kind,
      at: startedAt,
      usage,
      cost: chargeOf(usage, reservation).costUsd,
      isUncharged: isUncharged({ usage, reservation }),
    })),
  );
}

function isUncharged({ usage, reservation }: { usage: Usage; reservation: Spend }): boolean {
  return usage.kind === 'unknown' && reservation.costUsd === 0;
}

function ownerOf({ start: { run, project } }: RunState): Pick<Charge, 'run' | 'project'> {
  return { run, project: project.folder ?? project.root };
}

function count(row: UsageRow, { what, usage, cost, isUncharged }: Charge): void {
  row[what] += 1;
  if (usage.kind === 'unknown') row.unknown += 1;
  if (isUncharged) row.uncharged += 1;
  if (usage.kind === 'known') {
    row.inputTokens += usage.inputTokens;
    row.outputTokens += usage.outputTokens;
    row.cachedTokens += usage.cachedTokens;
    row.turns += usage.turns;
  }
  row.cost = Math.round((row.cost + cost) * 1e6) / 1e6;
}

function nameOf(by: UsageBy, charged: Charge): string {
  switch (by) {
    case 'agent':
      return charged.by;
    case 'model':
      return charged.usage.kind === 'known' ? (charged.usage.model ?? 'not reported') : 'not reported';
    case 'run':
      return charged.run;
    case 'project':
      return charged.project;
    case 'role':
      return charged.role;
    case 'day':
      return dayOf(charged);
  }
}

/** The local day, as every other time that is shown. */
function dayOf({ at }: Charge): string {
  return dayText(at);
}

function emptyRow(name: string, day: string | undefined): UsageRow {
  return {
    name,
    ...(day === undefined ? {} : { day }),
    attempts: 0,
    calls: 0,
    unknown: 0,
    uncharged: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    turns: 0,
    cost: 0,
  };
}
