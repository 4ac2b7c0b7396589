import type { ReactElement } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import choice from '../../ui/controls/controls.module.css';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { RANGES, type RangeName, type UsageQuery } from './usage-query.ts';

type UsageFiltersProps = { query: UsageQuery; onChange(change: Record<string, string>): void };

const OWN: { value: RangeName; title: string } = { value: 'own', title: 'Dates' };

/** The filters for days and project. */
export function UsageFilters({ query, onChange }: UsageFiltersProps): ReactElement {
  const projects = useOperation('list-projects', {}, { fresh: true }).data ?? [];
  const ranges: readonly { value: RangeName; title: string }[] = query.range === 'own' ? [...RANGES, OWN] : RANGES;
  const date = (key: 'since' | 'until', label: string) => (
    <input
      type="date"
      className={choice.input}
      aria-label={label}
      value={query[key]}
      onChange={(event) => onChange({ since: query.since, until: query.until, [key]: event.target.value })}
    />
  );
  return (
    <>
      <Tabs
        label="Days"
        options={ranges}
        value={query.range}
        onChoose={(range) => {
          if (range !== 'own') onChange({ range, since: '', until: '' });
        }}
      />
      {date('since', 'First day')}
      {date('until', 'Last day')}
      <select
        className={choice.select}
        aria-label="Project"
        value={query.project}
        onChange={(event) => onChange({ project: event.target.value })}
      >
        <option value="">All projects</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
