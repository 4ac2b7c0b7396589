import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useProject } from '../../api/use-project.ts';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Agents } from './agent-cards.tsx';
import { Benches, Scores } from './measured-results.tsx';
import { Routes } from './role-routes.tsx';

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
