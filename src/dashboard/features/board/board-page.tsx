import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { BoardColumn } from '../../../schema/overview.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { LinkButton } from '../../ui/controls/button.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { ScrollArea } from '../../ui/layout/scroll-area.tsx';
import styles from './board.module.css';
import { BoardCard } from './board-card.tsx';
import { type BoardCards, COLUMNS, runColumns, runsOnBoard, taskColumns } from './board-columns.ts';
import { BoardFilters, useBoardQuery } from './board-filters.tsx';
import { QueuedCards } from './queued-cards.tsx';
import { useBoardTasks } from './use-board-tasks.ts';

/** Of a long column only the first cards are shown; the pages of the runs and History have all. */
const MAX_CARDS = 30;

/** Tasks or runs of all projects as cards in columns by state. */
export function BoardPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const query = useBoardQuery();
  const { shown, filter } = query;
  const now = useNow(60_000);
  const onBoard = runsOnBoard(runs, filter);
  const loaded = useBoardTasks(shown === 'tasks' ? onBoard : [], filter.agent);
  const isLoaded = isReady && (shown === 'runs' || loaded.isReady);
  const columns =
    shown === 'tasks' ? taskColumns(onBoard, { tasks: loaded.tasks, filter, now }) : runColumns(runs, filter, now);
  return (
    <PageFrame
      title="Board"
      about={`${shown === 'tasks' ? 'Tasks' : 'Runs'} of all projects by state.`}
      actions={<BoardFilters {...query} runs={runs} tasks={loaded.tasks} />}
    >
      {loaded.error === undefined ? null : <ErrorMessage error={loaded.error} />}
      {isLoaded ? null : <Skeleton lines={6} />}
      {isReady && runs.length === 0 ? (
        <EmptyState title="No runs yet">
          <LinkButton to="/start">Start a run</LinkButton>
        </EmptyState>
      ) : (
        <ScrollArea label="Columns" className={styles.columns}>
          {COLUMNS.map((column) => (
            <Column
              key={column}
              column={column}
              content={columns.get(column) ?? { cards: [], count: 0 }}
              isReady={isLoaded}
            />
          ))}
        </ScrollArea>
      )}
    </PageFrame>
  );
}

const TITLES: Partial<Record<BoardColumn, string>> = { failed: 'failed or cancelled' };

type ColumnProps = { column: BoardColumn; content: BoardCards; isReady: boolean };

function Column({ column, content, isReady }: ColumnProps): ReactElement {
  const cards = content.cards.slice(0, MAX_CARDS);
  const title = TITLES[column] ?? column;
  return (
    <section className={styles.column} aria-label={title}>
      <h2>
        {title} <span className="quiet numbers">{isReady ? content.count.toLocaleString('en-US') : ''}</span>
      </h2>
      {column === 'queued' ? (
        <QueuedCards all={content.cards} shown={cards} />
      ) : (
        <ul>
          {cards.map((card) => (
            <BoardCard key={card.id} card={card} column={column} />
          ))}
        </ul>
      )}
      {content.count > cards.length ? (
        <p className="quiet">
          and {(content.count - cards.length).toLocaleString('en-US')} more: see the run, or{' '}
          <Link href="/history" className="link">
            History
          </Link>
        </p>
      ) : null}
    </section>
  );
}
