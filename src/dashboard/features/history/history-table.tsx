import type { ReactElement } from 'react';
import type { ListKeys } from '../../ui/list-keys.ts';
import table from '../../ui/table.module.css';
import styles from './history.module.css';
import { HistoryRow } from './history-row.tsx';
import type { HistoryRun } from './use-history.ts';

type HistoryTableProps = {
  runs: readonly HistoryRun[];
  chosen: ReadonlySet<string>;
  keys: ListKeys;
  isArchived: boolean;
  onChoose(run: string): void;
};

/** The runs of a list in rows that keys can go through. */
export function HistoryTable({ runs, chosen, keys, isArchived, onChoose }: HistoryTableProps): ReactElement {
  return (
    <div className={table.scroll}>
      <table className={`${table.table} ${styles.table}`} onKeyDown={keys.onKeyDown}>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-words">Chosen</span>
            </th>
            <th scope="col">State</th>
            <th scope="col">Title</th>
            <th scope="col">Project</th>
            <th scope="col">Recipe</th>
            <th scope="col" className={table.number}>
              Tasks
            </th>
            <th scope="col" className={table.number}>
              Cost
            </th>
            <th scope="col" className={table.number}>
              Took
            </th>
            <th scope="col" className={table.number}>
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <HistoryRow
              key={run.run}
              run={run}
              isArchived={isArchived}
              isChosen={chosen.has(run.run)}
              rowProps={keys.rowProps(index)}
              onChoose={() => onChoose(run.run)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
