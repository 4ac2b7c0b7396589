import { type ReactElement, useId } from 'react';
import styles from './controls.module.css';

type ProjectChoiceProps = {
  projects: readonly { root: string; name: string; exists: boolean }[];
  dir: string | undefined;
  onChoose(dir: string): void;
};

/** Selects the project of a page. */
export function ProjectChoice({ projects, dir, onChoose }: ProjectChoiceProps): ReactElement {
  const id = useId();
  const isKnown = projects.some(({ root }) => root === dir);
  return (
    <span className={styles.choice}>
      <label htmlFor={id} className="quiet">
        Project
      </label>
      <select
        id={id}
        className={styles.select}
        value={dir ?? ''}
        title={dir}
        onChange={(event) => onChoose(event.target.value)}
      >
        {isKnown || dir === undefined ? null : <option value={dir}>{dir}</option>}
        {projects.map(({ root, name, exists }) => (
          <option key={root} value={root}>
            {exists ? name : `${name} (folder missing)`}
          </option>
        ))}
      </select>
    </span>
  );
}
