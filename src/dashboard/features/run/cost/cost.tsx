import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { runMoney } from '../../../../core/schedule/budget.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { costText, unknownUsageText } from '../../../../core/view/cost-text.ts';
import { estimateToFinish, type FinishEstimate, spendHistory } from '../../../../core/view/spend-history.ts';
import type { TaskCost } from '../../../../core/view/task-cost.ts';
import { summarizeUsage } from '../../../../core/view/usage.ts';
import type { UsageRow } from '../../../../schema/usage.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { useNow } from '../../../ui/browser/use-now.ts';
import { EmptyState } from '../../../ui/feedback/placeholders.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { type Column, Table } from '../../../ui/layout/table.tsx';
import { CostText } from '../../../ui/run/cost-text.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import type { ViewProps } from '../run-views.ts';
import styles from './cost.module.css';
import { SpendPlot } from './spend-plot.tsx';
import { type TaskCostRow, taskCosts } from './task-costs.ts';

const MAX_TASKS = 100;
const figure = (value: number) => value.toLocaleString('en-US');
const COLUMNS: readonly Column<UsageRow>[] = [
  { title: 'Name', cell: ({ name }) => name },
  {
    title: 'Attempts',
    isNumber: true,
    cell: ({ attempts, calls }) => (calls === 0 ? figure(attempts) : `${attempts} + ${calls}`),
  },
  { title: 'Input', isNumber: true, cell: ({ inputTokens }) => figure(inputTokens) },
  { title: 'Cached', isNumber: true, isDetail: true, cell: ({ cachedTokens }) => figure(cachedTokens) },
  { title: 'Output', isNumber: true, cell: ({ outputTokens }) => figure(outputTokens) },
  { title: 'Turns', isNumber: true, isDetail: true, cell: ({ turns }) => figure(turns) },
  { title: 'Cost', isNumber: true, cell: (row) => <CostText cost={rowCost(row)} /> },
];

/** Without cached tokens there is no column of zeroes. */
function columnsOf(rows: readonly UsageRow[]): readonly Column<UsageRow>[] {
  return rows.some(({ cachedTokens }) => cachedTokens > 0)
    ? COLUMNS
    : COLUMNS.filter(({ title }) => title !== 'Cached');
}

/** Without a budget nothing is reserved for unknown usage. */
function rowCost({ cost, unknown, uncharged }: UsageRow): TaskCost {
  return { costUsd: cost, bound: unknown === 0 ? 'exact' : uncharged === 0 ? 'at-most' : 'at-least' };
}

/** The cost of a run by agent, model, role and task, and its budget. */
export function Cost({ state, version }: ViewProps): ReactElement {
  const time = useNow(10_000);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const { agents, models, roles, days, tasks, history, estimate } = useMemo(
    () => ({
      agents: summarizeUsage([state], 'agent'),
      models: summarizeUsage([state], 'model'),
      roles: summarizeUsage([state], 'role'),
      days: summarizeUsage([state], 'day'),
      tasks: taskCosts(state),
      history: spendHistory(state),
      estimate: estimateToFinish(state),
    }),
    [state, version],
  );
  if (tasks.length === 0 && agents.length === 0) return <EmptyState title="No cost yet" />;
  const columns: readonly Column<TaskCostRow>[] = [
    { title: 'Task', cell: ({ key, title }) => <Link href={taskPath(state.start.run, key)}>{title}</Link> },
    { title: 'Attempts', isNumber: true, cell: ({ attempts }) => figure(attempts) },
    { title: 'Tokens', isNumber: true, cell: ({ tokens }) => figure(tokens) },
    { title: 'Cost', isNumber: true, cell: ({ cost }) => <CostText cost={cost} /> },
  ];
  return (
    <div className={styles.cost}>
      <Budget state={state} estimate={estimate} />
      <SpendPlot
        points={history}
        until={state.status.kind === 'ended' ? state.status.at : time}
        budget={state.start.config.budget.run}
        isEnded={state.status.kind === 'ended'}
      />
      {[
        { title: 'By agent', rows: agents },
        { title: 'By model', rows: models },
        { title: 'By role', rows: roles },
        ...(days.length > 1 ? [{ title: 'By day', rows: days }] : []),
      ].map(({ title, rows }) => (
        <Panel key={title} title={title} flush>
          <Table label={`${title}, table`} columns={columnsOf(rows)} rows={rows} keyOf={({ name }) => name} />
        </Panel>
      ))}
      <Panel
        title={tasks.length > MAX_TASKS ? `The ${MAX_TASKS} most expensive of ${tasks.length} tasks` : 'By task'}
        flush
      >
        <Table label="By task, table" columns={columns} rows={tasks.slice(0, MAX_TASKS)} keyOf={({ key }) => key} />
      </Panel>
    </div>
  );
}

type BudgetProps = { state: RunState; estimate: FinishEstimate | undefined };

/** The spent and reserved part of the budget, and what the rest will probably cost. */
function Budget({ state, estimate }: BudgetProps): ReactElement {
  const { run, project } = state.start.config.budget;
  const { spentUsd, reservedUsd } = runMoney(state);
  const hasSubRuns = (state.subRuns ?? []).length > 0;
  const isOver = run !== undefined && estimate !== undefined && spentUsd + estimate.usd > run;
  return (
    <section className={styles.budget} aria-label="Budget">
      <p className={styles.figures}>
        <strong>{costText({ cost: spentUsd, unknownUsage: state.unknownUsage })}</strong>
        <span className="quiet">
          {run === undefined ? 'spent; no budget' : `spent of ${moneyText(run)}`}
          {hasSubRuns ? ', including sub-runs' : ''}
          {reservedUsd > 0 ? `, ${moneyText(reservedUsd)} reserved for running work` : ''}
          {project === undefined ? '' : `; project budget ${moneyText(project)}`}
          {state.unknownUsage === undefined ? '' : `; ${unknownUsageText(state.unknownUsage)}`}
        </span>
      </p>
      {estimate === undefined ? null : (
        <p className={isOver ? styles.over : 'quiet'}>
          About {moneyText(estimate.usd)} more to finish the {count(estimate.tasks, 'open task')}, by what{' '}
          {count(estimate.basis, 'finished task')} cost
          {isOver ? `: more than the budget of ${moneyText(run)}` : ''}
        </p>
      )}
      {run === undefined ? null : (
        <div className={styles.bar} role="img" aria-label={`${Math.round((spentUsd / run) * 100)} % of the budget`}>
          <span style={{ width: share(spentUsd, run) }} data-near={spentUsd >= run * 0.8} />
          <span style={{ width: share(Math.min(reservedUsd, run - spentUsd), run) }} data-reserved="" />
        </div>
      )}
    </section>
  );
}

function share(part: number, whole: number): string {
  return `${Math.min(Math.max(part / whole, 0), 1) * 100}%`;
}
