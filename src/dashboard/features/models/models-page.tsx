import type { ReactElement } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useOperation } from '../../api/use-operation.ts';
import { useProject } from '../../api/use-project.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { duration, Money } from '../../ui/text/amounts.tsx';
import { Agents } from './agent-cards.tsx';
import styles from './models.module.css';
import { Routes } from './role-routes.tsx';

const DISPLAY_STATES = { pass: 'done', fail: 'failed', error: 'unverified' } as const;

const VIEWS = [
  { value: 'agents', title: 'Agents' },
  { value: 'routes', title: 'Routes' },
  { value: 'scores', title: 'Results' },
  { value: 'benches', title: 'Benchmarks' },
] as const;

/** The agents with their status, routes, results and benchmarks. */
export function ModelsPage(): ReactElement {
  const { projects, dir, choose, isLoading, error, reload } = useProject();
  const [params, setParams] = useSearchParams();
  const view = VIEWS.find(({ value }) => value === params.get('view'))?.value ?? 'agents';
  const show = (next: string) => {
    const all = new URLSearchParams(params);
    all.set('view', next);
    setParams(all, { replace: true });
  };
  return (
    <PageFrame
      title="Models"
      about="Agents, their models and logins, and their verified results."
      actions={
        <>
          <Tabs label="View" options={VIEWS} value={view} onChoose={show} />
          <ProjectChoice projects={projects} dir={dir} onChoose={choose} />
        </>
      }
    >
      {isLoading ? <Skeleton lines={8} /> : null}
      {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
      {!isLoading && error === undefined && dir === undefined ? (
        <EmptyState title="No project yet">
          Agents are configured by project. Start a run in a project and it appears here.
        </EmptyState>
      ) : null}
      {dir !== undefined && view === 'agents' ? <Agents dir={dir} /> : null}
      {dir !== undefined && view === 'routes' ? <Routes dir={dir} /> : null}
      {dir !== undefined && view === 'scores' ? <Scores dir={dir} /> : null}
      {view === 'benches' ? <Benches /> : null}
    </PageFrame>
  );
}

/** The verified results of each agent by role and model. */
function Scores({ dir }: { dir: string }): ReactElement {
  const { data, error, isLoading, reload } = useOperation('score-models', { dir }, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0)
    return <EmptyState title="No verified results yet">Each task with a checked result adds one.</EmptyState>;
  const tally = ({ good, bad }: { good: number; bad: number }) => (good + bad === 0 ? '–' : `${good} of ${good + bad}`);
  return (
    <Panel title="Verified results" flush>
      <Table
        label="Verified results"
        rows={data}
        keyOf={({ role, agent, model }) => `${role} ${agent} ${model}`}
        columns={[
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">unknown</span> },
          {
            title: 'Score',
            isNumber: true,
            cell: ({ score, counts }) => <span className={counts ? undefined : 'quiet'}>{score.toFixed(2)}</span>,
          },
          { title: 'This project', isNumber: true, cell: ({ here }) => tally(here) },
          { title: 'Other projects', isNumber: true, cell: ({ elsewhere }) => tally(elsewhere) },
          { title: 'Benchmarks', isNumber: true, cell: ({ bench }) => tally(bench) },
          { title: 'Cost', isNumber: true, cell: ({ cost }) => <Money usd={cost} /> },
          { title: 'Reason', cell: ({ because }) => <span className={styles.wide}>{because}</span> },
        ]}
      />
    </Panel>
  );
}

/** Benchmark results, newest first. */
function Benches(): ReactElement {
  const { data, error, isLoading, reload } = useOperation('list-benches', {}, { fresh: true });
  if (isLoading) return <Skeleton lines={8} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0)
    return <EmptyState title="No benchmarks yet">mh models bench measures your agents on small tasks.</EmptyState>;
  return (
    <Panel title="Benchmarks" flush>
      <Table
        label="Benchmarks"
        rows={data.toReversed()}
        keyOf={({ run, agent, kind }) => `${run} ${agent} ${kind}`}
        columns={[
          { title: 'Verdict', cell: ({ verdict }) => <StateMark displayState={DISPLAY_STATES[verdict]} bare /> },
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">agent's default</span> },
          { title: 'Kind', cell: ({ kind, run }) => <Link href={runPath(run)}>{kind}</Link> },
          { title: 'Cost', isNumber: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
          { title: 'Time', isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
          { title: 'Reason', cell: ({ reason }) => <span className={styles.wide}>{reason}</span> },
        ]}
      />
    </Panel>
  );
}
