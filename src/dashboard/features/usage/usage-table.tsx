import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { unknownOfRow } from '../../../core/view/cost-text.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { Money, Spent } from '../../ui/text/amounts.tsx';
import { amountOf, type UsageRow } from './day-bars.ts';
import styles from './usage.module.css';
import type { Measure } from './usage-query.ts';

type UsageTableProps = {
  title: string;
  rows: readonly UsageRow[];
  /** The measure of the share column. */
  measure: Measure;
  chosen: string | undefined;
  /** The runs by id, where the rows are runs. */
  runs?: ReadonlyMap<string, RunOverview> | undefined;
  onChoose(name: string | undefined): void;
};

/** Left out where they are zero in every row. */
const DETAILS = [
  { title: 'Turns', key: 'turns' },
  { title: 'Input tokens', key: 'inputTokens' },
  { title: 'Cached', key: 'cachedTokens' },
  { title: 'Output tokens', key: 'outputTokens' },
  { title: 'Small calls', key: 'calls' },
  { title: 'Not reported', key: 'unknown' },
] as const;

/** Usage by name; a click on a name highlights it in the plot. */
export function UsageTable({ title, rows, measure, chosen, runs, onChoose }: UsageTableProps): ReactElement {
  const total = rows.reduce((sum, row) => sum + amountOf(row, measure), 0);
  const number = (key: 'attempts' | (typeof DETAILS)[number]['key']) =>
    function cell(row: UsageRow) {
      return row[key] === 0 ? <span className="quiet">0</span> : row[key].toLocaleString('en-US');
    };
  const columns: readonly Column<UsageRow>[] = [
    {
      title,
      cell: ({ name }) => (
        <button
          type="button"
          className={styles.name}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name === chosen ? undefined : name)}
        >
          {runs?.get(name)?.title ?? name}
        </button>
      ),
    },
    ...(runs === undefined ? [] : runColumns(runs)),
    { title: 'Cost', isNumber: true, cell: (row) => <Spent usd={row.cost} unknown={unknownOfRow(row)} /> },
    {
      title: 'Share',
      cell: (row) => (
        <span className={styles.share} aria-hidden="true">
          <span style={{ width: `${total === 0 ? 0 : (amountOf(row, measure) / total) * 100}%` }} />
        </span>
      ),
    },
    { title: 'Attempts', isNumber: true, cell: number('attempts') },
    ...DETAILS.filter(({ key }) => rows.some((row) => row[key] > 0)).map(({ title: name, key }) => ({
      title: name,
      isNumber: true,
      isDetail: true,
      cell: number(key),
    })),
  ];
  return <Table label={`Usage by ${title.toLowerCase()}`} columns={columns} rows={rows} keyOf={({ name }) => name} />;
}

function runColumns(runs: ReadonlyMap<string, RunOverview>): Column<UsageRow>[] {
  return [
    { title: 'Run', cell: ({ name }) => <Link href={`${runPath(name)}?view=cost`}>{name}</Link> },
    { title: 'Budget', isNumber: true, cell: ({ name }) => <Budget usd={runs.get(name)?.budget ?? null} /> },
  ];
}

function Budget({ usd }: { usd: number | null }): ReactElement {
  return usd === null ? <span title="No budget">–</span> : <Money usd={usd} />;
}
