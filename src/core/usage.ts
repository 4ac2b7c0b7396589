import type { UsageRow } from '../schema/document.ts';
import type { UsageBy } from '../schema/operation.ts';
import type { Usage } from '../schema/usage.ts';
import { chargeOf } from './budget.ts';
import type { RunState } from './state.ts';

/** Something that was charged to a run: an attempt, or a model that was asked a small question. */
type Charged = {
  what: 'attempts' | 'calls';
  by: string;
  role: string;
  at: number;
  usage: Usage;
  cost: number;
};

/** What runs have consumed, by agent, model, run, project, role or day: each attempt and each small question counts once, unknown usage at its reservation. */
export function summarizeUsage(runs: Iterable<RunState>, by: UsageBy): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const run of runs) {
    for (const charged of [...attemptsOf(run), ...callsOf(run)]) {
      const name = nameOf(by, run, charged);
      const row = rows.get(name) ?? emptyRow(name);
      rows.set(name, row);
      count(row, charged);
    }
  }
  return [...rows.values()].sort((a, b) =>
    by === 'day' ? a.name.localeCompare(b.name) : b.cost - a.cost || a.name.localeCompare(b.name),
  );
}

function attemptsOf(run: RunState): Charged[] {
  return run.order.flatMap((key) => {
    const task = run.tasks[key];
    return (task?.attempts ?? []).map(({ agent, usage, reservation, ended, startedAt }) => ({
      what: 'attempts' as const,
      by: agent,
      role: task?.spec.role ?? '',
      at: startedAt,
      usage,
      cost: ended === null && usage.kind === 'unknown' ? 0 : chargeOf(usage, reservation).costUsd,
    }));
  });
}

function callsOf(run: RunState): Charged[] {
  return Object.values(run.calls).flatMap(({ kind, startedAt, ended }) =>
    (ended?.tries ?? []).map(({ by, usage, reservation }) => ({
      what: 'calls' as const,
      by,
      role: kind,
      at: startedAt,
      usage,
      cost: chargeOf(usage, reservation).costUsd,
    })),
  );
}

function count(row: UsageRow, { what, usage, cost }: Charged): void {
  row[what] += 1;
  if (usage.kind === 'unknown') row.unknown += 1;
  if (usage.kind === 'known') {
    row.inputTokens += usage.inputTokens;
    row.outputTokens += usage.outputTokens;
    row.cachedTokens += usage.cachedTokens;
    row.turns += usage.turns;
  }
  row.cost = Math.round((row.cost + cost) * 1e6) / 1e6;
}

function nameOf(by: UsageBy, run: RunState, charged: Charged): string {
  switch (by) {
    case 'agent':
      return charged.by;
    case 'model':
      return charged.usage.kind === 'known' ? (charged.usage.model ?? 'not said') : 'not said';
    case 'run':
      return run.start.run;
    case 'project':
      return run.start.project.folder ?? run.start.project.root;
    case 'role':
      return charged.role;
    case 'day':
      return new Date(charged.at).toISOString().slice(0, 10);
  }
}

function emptyRow(name: string): UsageRow {
  return {
    name,
    attempts: 0,
    calls: 0,
    unknown: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    turns: 0,
    cost: 0,
  };
}
