import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import type { BoardRun, RunOverview } from '../../../schema/overview.ts';
import { folderName } from '../../ui/browser/page-paths.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import styles from './board.module.css';
import type { BoardFilter } from './board-columns.ts';

const SHOWN = [
  { value: 'tasks', title: 'Tasks' },
  { value: 'runs', title: 'Runs' },
] as const;
export type Shown = (typeof SHOWN)[number]['value'];

/** What the board shows, as its address says; a chosen value replaces it there. */
export function useBoardQuery(): { shown: Shown; filter: BoardFilter; choose(key: string, value: string): void } {
  const [params, setParams] = useSearchParams();
  const chosen = (key: string) => params.get(key) ?? '';
  return {
    shown: chosen('show') === 'runs' ? 'runs' : 'tasks',
    filter: { project: chosen('project'), collection: chosen('collection'), agent: chosen('agent') },
    choose: (key, value) =>
      setParams(
        (was) => {
          const next = new URLSearchParams(was);
          if (value === '') next.delete(key);
          else next.set(key, value);
          return next;
        },
        { replace: true },
      ),
  };
}

type BoardFiltersProps = ReturnType<typeof useBoardQuery> & {
  runs: readonly RunOverview[];
  tasks: ReadonlyMap<string, BoardRun>;
};

/** The choice between tasks and runs, and the filters by project, collection and agent. */
export function BoardFilters({ runs, tasks, shown, filter, choose }: BoardFiltersProps): ReactElement {
  const projects = new Map(runs.map(({ projectId, project }) => [projectId, folderName(project)]));
  const collections = new Map(
    runs.flatMap(({ collection }) => (collection === null ? [] : [[collection, collection]])),
  );
  const working = runs.flatMap(({ live }) => live.map(({ agent }) => agent));
  const names = shown === 'runs' ? working : [...working, ...[...tasks.values()].flatMap(({ agents }) => agents)];
  const agents = new Map(names.sort().map((agent) => [agent, agent]));
  return (
    <div className={styles.filters}>
      <Filter label="Project" options={projects} value={filter.project} onChoose={(v) => choose('project', v)} />
      <Filter
        label="Collection"
        options={collections}
        value={filter.collection}
        onChoose={(v) => choose('collection', v)}
      />
      <Filter label="Agent" options={agents} value={filter.agent} onChoose={(v) => choose('agent', v)} />
      <Tabs label="Cards" options={SHOWN} value={shown} onChoose={(v) => choose('show', v === 'tasks' ? '' : v)} />
    </div>
  );
}

type FilterProps = {
  label: string;
  options: ReadonlyMap<string, string>;
  value: string;
  onChoose(value: string): void;
};

/** A filter; hidden where there is nothing to choose. */
function Filter({ label, options, value, onChoose }: FilterProps): ReactElement | null {
  if (options.size < 2 && value === '') return null;
  return (
    <label className={styles.filter}>
      <span className="quiet">{label}</span>
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        <option value="">All</option>
        {value === '' || options.has(value) ? null : <option value={value}>{value}</option>}
        {[...options].map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
