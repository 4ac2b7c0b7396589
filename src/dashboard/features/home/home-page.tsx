import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useOverview } from '../../api/overview.ts';
import { Skeleton } from '../../ui/standing.tsx';
import { FirstMinute } from './first-minute.tsx';
import styles from './home-page.module.css';
import { NeedsYou } from './needs-you.tsx';
import { ProjectFilter } from './project-filter.tsx';
import { Recent } from './recent.tsx';
import { Running } from './running.tsx';
import { projectsOf, sectionsOf } from './sections.ts';

/** All work on one page: what needs you, what is running, what happened. */
export function HomePage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [search, setSearch] = useSearchParams();
  const project = search.get('project');
  if (!isReady) return <Skeleton lines={9} />;
  if (runs.length === 0) return <FirstMinute />;
  const { needs, running, resting, recent } = sectionsOf(runs, project);
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
      <NeedsYou needs={needs} />
      <Running running={running} resting={resting} />
      <Recent runs={recent} />
    </div>
  );
}
