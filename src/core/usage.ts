import type { UsageRow } from '../schema/document.ts';
import type { UsageBy } from '../schema/operation.ts';
import { chargeOf } from './budget.ts';
import type { AttemptState, RunState } from './state.ts';

/** What runs have consumed, by agent, model, run, project, role or day: each attempt counts once, unknown usage at its reservation. */
export function summarizeUsage(runs: Iterable<RunState>, by: UsageBy): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const run of runs) {
    for (const key of run.order) {
      const task = run.tasks[key];
      for (const attempt of task?.attempts ?? []) {
        const name = nameOf(by, { run, role: task?.spec.role ?? '', attempt });
        const row = rows.get(name) ?? emptyRow(name);
        rows.set(name, row);
        count(row, attempt);
      }
    }
  }
  return [...rows.values()].sort((a, b) =>
    by === 'day' ? a.name.localeCompare(b.name) : b.cost - a.cost || a.name.localeCompare(b.name),
  );
}

function count(row: UsageRow, attempt: AttemptState): void {
  const { usage, reservation, ended } = attempt;
  row.attempts += 1;
  if (usage.kind === 'unknown') row.unknown += 1;
  if (usage.kind === 'known') {
    row.inputTokens += usage.inputTokens;
    row.outputTokens += usage.outputTokens;
    row.cachedTokens += usage.cachedTokens;
    row.turns += usage.turns;
  }
  const charged = ended === null && usage.kind === 'unknown' ? 0 : chargeOf(usage, reservation).costUsd;
  row.cost = Math.round((row.cost + charged) * 1e6) / 1e6;
}

function nameOf(by: UsageBy, { run, role, attempt }: { run: RunState; role: string; attempt: AttemptState }): string {
  switch (by) {
    case 'agent':
      return attempt.agent;
    case 'model':
      return attempt.usage.kind === 'known' ? (attempt.usage.model ?? 'not said') : 'not said';
    case 'run':
      return run.start.run;
    case 'project':
      return run.start.project.folder ?? run.start.project.root;
    case 'role':
      return role;
    case 'day':
      return new Date(attempt.startedAt).toISOString().slice(0, 10);
  }
}

function emptyRow(name: string): UsageRow {
  return { name, attempts: 0, unknown: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, turns: 0, cost: 0 };
}
