import { type ReactElement, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { dayText } from '../../../core/view/amounts.ts';
import { costText, sumUnknown, unknownOfRow } from '../../../core/view/cost-text.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useOperation } from '../../api/use-operation.ts';
import { now } from '../../ui/browser/clock.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import { dayBars } from './day-bars.ts';
import { DayPlot } from './day-plot.tsx';
import styles from './usage.module.css';
import { UsageFilters } from './usage-filters.tsx';
import { GROUPINGS, MEASURES, usageInput, usageQuery } from './usage-query.ts';
import { UsageTable } from './usage-table.tsx';

/** Usage by agent, model, project, role, day or run. */
export function UsagePage(): ReactElement {
  const [params, setParams] = useSearchParams();
  const [chosen, setChosen] = useState<string>();
  const [today] = useState(now);
  const query = usageQuery(params, today);
  const usage = useOperation('usage', usageInput(query, false), { fresh: true });
  const daily = useOperation('usage', usageInput(query, true), { fresh: true });
  const error = usage.error ?? daily.error;
  const change = (some: Record<string, string>) => {
    const next = new URLSearchParams(params);
    for (const [key, value] of Object.entries(some)) value === '' ? next.delete(key) : next.set(key, value);
    setParams(next, { replace: true });
  };
  const { runs } = useOverview();
  const byId = useMemo(() => new Map(runs.map((run) => [run.run, run])), [runs]);
  const reload = () => {
    usage.reload();
    daily.reload();
  };
  const rows = [...(usage.data ?? [])].sort((a, b) =>
    query.by === 'day' ? b.name.localeCompare(a.name) : b.cost - a.cost,
  );
  const cost = rows.reduce((sum, row) => sum + row.cost, 0);
  const unknown = rows.reduce((sum, row) => sum + row.unknown, 0);
  const title = GROUPINGS.find(({ value }) => value === query.by)?.title ?? '';
  const until = query.until === '' ? dayText(today) : query.until;
  const measure = query.of ?? (cost > 0 ? 'cost' : 'attempts');
  const bars = dayBars(daily.data ?? [], { measure, chosen, since: query.since, until });
  return (
    <PageFrame
      title="Usage"
      about="Cost, tokens and attempts by agent, model, project, role, day and run. Days are those of the server's time zone."
      actions={<UsageFilters query={query} onChange={change} />}
    >
      {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
      <Panel
        title={
          usage.data === undefined
            ? 'Cost by day'
            : `${costText({ cost, unknownUsage: sumUnknown(rows.map(unknownOfRow)) })} in total`
        }
        actions={
          <>
            <Tabs label="Measure" options={MEASURES} value={measure} onChoose={(of) => change({ of })} />
            <Button onClick={reload}>Refresh</Button>
          </>
        }
      >
        <div className={styles.space}>
          {daily.isLoading ? <Skeleton lines={6} /> : null}
          {daily.data !== undefined && bars.length > 0 ? (
            <DayPlot bars={bars} measure={measure} chosen={chosen} />
          ) : null}
        </div>
      </Panel>
      <Panel
        title={`By ${title.toLowerCase()}`}
        flush
        actions={
          <Tabs
            label="Group by"
            options={GROUPINGS}
            value={query.by}
            onChoose={(by) => {
              setChosen(undefined);
              change({ by });
            }}
          />
        }
      >
        {usage.isLoading ? <Skeleton lines={5} /> : null}
        {usage.data !== undefined && rows.length === 0 ? <EmptyState title="No usage in this period" /> : null}
        {rows.length === 0 ? null : (
          <UsageTable
            title={title}
            rows={rows}
            measure={measure}
            chosen={chosen}
            runs={query.by === 'run' ? byId : undefined}
            onChoose={setChosen}
          />
        )}
      </Panel>
      {unknown === 0 ? null : (
        <p className="quiet">
          {count(unknown, 'attempt')} did not report {unknown === 1 ? 'its' : 'their'} usage: an agent that was killed,
          or that does not report it. Each is charged at its reservation, so the cost may be overestimated.
        </p>
      )}
    </PageFrame>
  );
}
