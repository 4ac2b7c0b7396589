import { type ReactElement, useId, useState } from 'react';
import type { KnownProjects } from '../../api/use-project.ts';
import styles from './start.module.css';

type FolderChoiceProps = {
  projects: KnownProjects;
  dir: string;
  issue: string | undefined;
  onChoose(dir: string): void;
};

const OTHER = '\0other';

/** Selects the project of the run: a known one, or any repository folder. */
export function FolderChoice({ projects, dir, issue, onChoose }: FolderChoiceProps): ReactElement {
  const id = useId();
  const known = projects.filter(({ exists }) => exists);
  const isKnown = known.some(({ root }) => root === dir);
  const [isTyped, setTyped] = useState(false);
  const isOther = known.length === 0 || isTyped || (dir !== '' && !isKnown);
  const choose = (value: string) => {
    setTyped(value === OTHER);
    onChoose(value === OTHER ? '' : value);
  };
  return (
    <div className={styles.folder} data-path="options.dir">
      <label htmlFor={id} className={styles.name}>
        Project
      </label>
      {known.length === 0 ? null : (
        <select
          id={id}
          className={styles.select}
          value={isOther ? OTHER : dir}
          onChange={(event) => choose(event.target.value)}
        >
          {known.map(({ root, name }) => (
            <option key={root} value={root}>
              {name} · {root}
            </option>
          ))}
          <option value={OTHER}>Other folder…</option>
        </select>
      )}
      {isOther ? (
        <input
          id={known.length === 0 ? id : undefined}
          type="text"
          className={styles.input}
          value={dir}
          spellCheck={false}
          placeholder="/path/to/a/git/repository"
          aria-label="Project folder"
          aria-invalid={issue === undefined ? undefined : true}
          onChange={(event) => onChoose(event.target.value)}
        />
      ) : null}
      {issue === undefined ? null : (
        <p className={styles.issue} role="alert">
          {issue}
        </p>
      )}
    </div>
  );
}
