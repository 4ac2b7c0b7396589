import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useProject } from '../../api/use-project.ts';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { KnowledgeView } from './knowledge-view.tsx';
import { LocksView } from './locks-view.tsx';
import { NotesView } from './notes-view.tsx';

const VIEWS = [
  { value: 'knowledge', title: 'Knowledge' },
  { value: 'locks', title: 'Locks' },
  { value: 'notes', title: 'Notes' },
] as const;

/** What agents and people know about a project, who holds which files, and what agents wrote for each other. */
export function KnowledgePage(): ReactElement {
  const { projects, dir, choose, isLoading, error, reload } = useProject();
  const [params, setParams] = useSearchParams();
  const view = VIEWS.find(({ value }) => value === params.get('view'))?.value ?? 'knowledge';
  const show = (next: string) => {
    const all = new URLSearchParams(params);
    all.set('view', next);
    setParams(all, { replace: true });
  };
  return (
    <PageFrame
      title="Knowledge"
      about="What agents learned and people noted, locks on files, and notes between agents."
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
        <EmptyState title="No project yet">Start a run in a project and it appears here.</EmptyState>
      ) : null}
      {dir === undefined ? null : view === 'knowledge' ? (
        <KnowledgeView key={dir} dir={dir} />
      ) : view === 'locks' ? (
        <LocksView key={dir} dir={dir} />
      ) : (
        <NotesView key={dir} dir={dir} />
      )}
    </PageFrame>
  );
}
