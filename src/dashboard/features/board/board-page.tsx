import type { ReactElement } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useOverview } from '../../api/run-overview.ts';
import { folderName } from '../../ui/browser/page-paths.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { ScrollArea } from '../../ui/layout/scroll-area.tsx';
import styles from './board.module.css';
import { boardColumns, COLUMNS } from './board-columns.ts';
import { QueuedCards } from './queued-cards.tsx';
import { RunCard } from './run-card.tsx';

/** Of a long column only the latest runs are shown; History has all. */
const MAX_CARDS = 30;

/** All runs as cards in columns by state. */
export function BoardPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [params, setParams] = useSearchParams();
  const now = useNow(60_000);
  const chosen = (key: string) => params.get(key) ?? '';
  const filter = { project: chosen('project'), collection: chosen('collection'), agent: chosen('agent') };
  const columns = boardColumns(runs, filter, now);
  const choose = (key: string, value: string) =>
    setParams(
      (was) => {
        const next = new URLSearchParams(was);
        if (value === '') next.delete(key);
        else next.set(key, value);
        return next;
      },
      { replace: true },
    );
  const projects = new Map(runs.map(({ projectId, project }) => [projectId, folderName(project)]));
  const collections = new Map(
    runs.flatMap(({ collection }) => (collection === null ? [] : [[collection, collection]])),
  );
  const agents = new Map(runs.flatMap(({ live }) => live.map(({ agent }): [string, string] => [agent, agent])));
  return (
    <PageFrame
      title="Board"
      about="Runs of all projects by state."
      actions={
        <div className={styles.filters}>
          <Filter label="Project" options={projects} value={filter.project} onChoose={(v) => choose('project', v)} />
          <Filter
            label="Collection"
            options={collections}
            value={filter.collection}
            onChoose={(v) => choose('collection', v)}
          />
          <Filter label="Agent" options={agents} value={filter.agent} onChoose={(v) => choose('agent', v)} />
        </div>
      }
    >
      {isReady ? null : <Skeleton lines={6} />}
      <ScrollArea label="Columns" className={styles.columns}>
        {COLUMNS.map((column) => {
          const cards = columns.get(column) ?? [];
          return (
            <section key={column} className={styles.column} aria-label={column}>
              <h2>
                {column} <span className="quiet numbers">{cards.length}</span>
              </h2>
              {column === 'queued' ? (
                <QueuedCards runs={cards} />
              ) : (
                <ul>
                  {cards.slice(0, MAX_CARDS).map((run) => (
                    <RunCard key={run.run} run={run} />
                  ))}
                </ul>
              )}
              {cards.length > MAX_CARDS ? (
                <Link href="/history">and {cards.length - MAX_CARDS} more in History</Link>
              ) : null}
            </section>
          );
        })}
      </ScrollArea>
    </PageFrame>
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
        {[...options].map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
