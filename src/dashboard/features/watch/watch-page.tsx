import type { ReactElement } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { useProject } from '../../api/use-project.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Spent, Time } from '../../ui/text/amounts.tsx';
import { DiscussionsView } from './discussions-view.tsx';
import { DraftReviewsView } from './draft-reviews-view.tsx';
import { ProposalsView } from './proposals-view.tsx';

type Series = OperationOutput<'show-watch'>;

const VIEWS = [
  { value: 'proposals', title: 'Proposals' },
  { value: 'discussions', title: 'Discussions' },
  { value: 'reviews', title: 'Draft reviews' },
] as const;

/** The results of watching a project: proposals, discussions and draft reviews, to decide and to answer. */
export function WatchPage(): ReactElement {
  const { projects, dir, choose, isLoading, error, reload } = useProject();
  const [params, setParams] = useSearchParams();
  const view = VIEWS.find(({ value }) => value === params.get('view'))?.value ?? 'proposals';
  const series = useOperation('show-watch', { dir: dir ?? '' }, { enabled: dir !== undefined, fresh: true });
  const show = (next: string) => {
    const all = new URLSearchParams(params);
    all.set('view', next);
    setParams(all, { replace: true });
  };
  const found = series.data;
  return (
    <PageFrame
      title="Watcher"
      about="Proposals, discussions and draft reviews of the watcher of a project."
      actions={
        <>
          <Tabs label="View" options={VIEWS} value={view} onChoose={show} />
          <ProjectChoice projects={projects} dir={dir} onChoose={choose} />
          <Button onClick={series.reload}>Refresh</Button>
        </>
      }
    >
      {isLoading || series.isLoading ? <Skeleton lines={8} /> : null}
      {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
      {series.error === undefined ? null : <ErrorMessage error={series.error} retry={series.reload} />}
      {!isLoading && error === undefined && dir === undefined ? (
        <EmptyState title="No project yet">Start a run in a project and it appears here.</EmptyState>
      ) : null}
      {dir === undefined || found === undefined ? null : (
        <>
          <SeriesState dir={dir} series={found} />
          {view === 'proposals' ? <ProposalsView dir={dir} proposals={found.proposals} /> : null}
          {view === 'discussions' ? <DiscussionsView dir={dir} discussions={found.discussions} /> : null}
          {view === 'reviews' ? <DraftReviewsView dir={dir} reviews={found.reviews} /> : null}
        </>
      )}
    </PageFrame>
  );
}

function SeriesState({ dir, series }: { dir: string; series: Series }): ReactElement {
  const { active, round, running, next, spentToday, budgetPerDay, today, problem } = series;
  const stopping = useAction('stop-watch', { done: 'The watcher is stopped', changes: ['show-watch'] });
  const starting = useAction('start-watch', { done: 'The project is watched', changes: ['show-watch'] });
  return (
    <Panel
      title={active ? 'Watched' : 'Not watched'}
      actions={
        active ? (
          <Button busy={stopping.isBusy} onClick={() => stopping.act({ dir })}>
            Stop
          </Button>
        ) : (
          <Button weight="main" busy={starting.isBusy} onClick={() => starting.act({ options: { dir } })}>
            Watch this project
          </Button>
        )
      }
    >
      <p>
        {round === 0 ? 'No round yet' : `Round ${round}`}
        {running === null ? null : (
          <>
            ,{' '}
            <Link href={runPath(running.run)} className="link">
              running
            </Link>{' '}
            ({running.why})
          </>
        )}
        {next === null ? null : (
          <>
            , the next <Time at={next} />
          </>
        )}
        .
        {spentToday === 0 && budgetPerDay === null ? null : (
          <>
            {' '}
            Today <Spent usd={spentToday} budget={budgetPerDay} />.
          </>
        )}
      </p>
      {round === 0 ? null : <p className={styles.lines}>{today.text}</p>}
      {problem === null ? null : <p role="status">The round could not start and will be retried: {problem}</p>}
    </Panel>
  );
}
