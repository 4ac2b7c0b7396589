import { type TemplateStatistic, TemplateUse } from '../../schema/template.ts';
import { isRehearsed, modelOf } from '../finish/outcomes.ts';
import type { AttemptState, RunState } from '../run/state.ts';
import { chargeOf, roundMoney } from '../schedule/budget.ts';

type Sums = TemplateStatistic & { totals: { cost: number; turns: number; durationMs: number } };

/** The results of ended jobs from a template, by the agent and model of the last attempt; rehearsals and cancelled runs do not count. */
export function templateStatistics(runs: Iterable<RunState>, template: string): TemplateStatistic[] {
  const rows = new Map<string, Sums>();
  for (const run of runs) {
    const last = run.status.kind === 'ended' && usedTemplate(run) === template ? lastOf(run) : undefined;
    if (last === undefined || run.status.kind !== 'ended' || run.status.status === 'cancelled') continue;
    if (isRehearsed(run, last)) continue;
    const row = rowFor(rows, last.agent, modelOf(run, last));
    row.runs += 1;
    if (run.status.status === 'done') row.verified += 1;
    if (run.landed !== null) row.landed += 1;
    row.totals.cost += run.spent.costUsd;
    row.totals.turns += turnsOf(run);
    row.totals.durationMs += workedMs(run);
  }
  return [...rows.values()].map(averaged).sort((a, b) => b.runs - a.runs || a.agent.localeCompare(b.agent));
}

/** The template that a run was started from, if it was. */
export function usedTemplate({ start }: RunState): string | undefined {
  return TemplateUse.safeParse(start.input).data?.template;
}

function attemptsOf(run: RunState): AttemptState[] {
  return run.order.flatMap((key) => run.tasks[key]?.attempts ?? []);
}

function lastOf(run: RunState): AttemptState | undefined {
  return attemptsOf(run).at(-1);
}

function turnsOf(run: RunState): number {
  return attemptsOf(run).reduce((sum, { usage, reservation }) => sum + chargeOf(usage, reservation).turns, 0);
}

/** The total time of the attempts, without waiting for a time or a person. */
function workedMs(run: RunState): number {
  return attemptsOf(run).reduce(
    (sum, { startedAt, ended }) => sum + Math.max(0, (ended?.at ?? startedAt) - startedAt),
    0,
  );
}

function rowFor(rows: Map<string, Sums>, agent: string, model: string | null): Sums {
  const key = JSON.stringify([agent, model]);
  const row = rows.get(key) ?? emptyRow(agent, model);
  rows.set(key, row);
  return row;
}

function emptyRow(agent: string, model: string | null): Sums {
  const none = { cost: 0, turns: 0, durationMs: 0 };
  return { agent, model, runs: 0, verified: 0, landed: 0, successRate: 0, ...none, totals: { ...none } };
}

function averaged({ totals, ...row }: Sums): TemplateStatistic {
  return {
    ...row,
    successRate: row.verified / row.runs,
    cost: roundMoney(totals.cost / row.runs),
    turns: Math.round((totals.turns / row.runs) * 10) / 10,
    durationMs: Math.round(totals.durationMs / row.runs),
  };
}
