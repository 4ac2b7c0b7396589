import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useOverview } from '../../api/run-overview.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { lazyView } from '../../ui/feedback/lazy-view.tsx';
import { Skeleton } from '../../ui/feedback/placeholders.tsx';
import styles from './home-page.module.css';
import { type ProjectChoice, projectsOf, sectionsOf } from './home-sections.ts';
import { NeedsYou } from './needs-you.tsx';
import { OpenRuns } from './open-runs.tsx';
import { RecentRuns } from './recent-runs.tsx';

/** Only a user without any run needs it. */
const GettingStarted = lazyView(async () => (await import('./getting-started.tsx')).GettingStarted, 9);

/** All runs on one page: what needs the user, what is running, what has ended. */
export function HomePage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [search, setSearch] = useSearchParams();
  const project = search.get('project');
  const now = useNow(60_000);
  if (!isReady) return <Skeleton lines={9} />;
  if (runs.length === 0) return <GettingStarted />;
  const { waiting, failed, running, idle, recent } = sectionsOf(runs, project, now);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>Home</h1>
        <ProjectFilter
          projects={projectsOf(runs)}
          chosen={project}
          onChoose={(id) => setSearch(id === null ? {} : { project: id })}
        />
      </header>
      <NeedsYou waiting={waiting} failed={failed} />
      <OpenRuns running={running} idle={idle} />
      <RecentRuns runs={recent} />
    </div>
  );
}

type ProjectFilterProps = {
  projects: readonly ProjectChoice[];
  chosen: string | null;
  onChoose(project: string | null): void;
};

/** Filters by project; hidden if there is only one. */
function ProjectFilter({ projects, chosen, onChoose }: ProjectFilterProps): ReactElement | null {
  if (projects.length < 2 && chosen === null) return null;
  return (
    <label className={styles.filter}>
      <span className="quiet">Project</span>
      <select
        value={chosen ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
        title={projects.find(({ id }) => id === chosen)?.path}
      >
        <option value="">All projects</option>
        {projects.map(({ id, name, runs }) => (
          <option key={id} value={id}>
            {name} ({runs})
          </option>
        ))}
        {chosen !== null && projects.every(({ id }) => id !== chosen) ? <option value={chosen}>{chosen}</option> : null}
      </select>
    </label>
  );
}
