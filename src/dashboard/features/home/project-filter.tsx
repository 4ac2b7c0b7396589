import type { ReactElement } from 'react';
import styles from './project-filter.module.css';
import type { ProjectChoice } from './sections.ts';

type ProjectFilterProps = {
  projects: readonly ProjectChoice[];
  chosen: string | null;
  onChoose(project: string | null): void;
};

/** Chooses one project; where there is only one there is nothing to choose. */
export function ProjectFilter({ projects, chosen, onChoose }: ProjectFilterProps): ReactElement | null {
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
