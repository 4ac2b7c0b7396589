import type { ReactElement, ReactNode } from 'react';
import { count } from '../text/amounts.tsx';
import styles from './diff.module.css';
import type { DiffLayout } from './diff-rows.ts';
import type { DiffFile } from './parse-diff.ts';

type DiffBarProps = {
  files: readonly DiffFile[];
  viewedCount: number;
  layout: DiffLayout;
  onLayout(layout: DiffLayout): void;
  children?: ReactNode;
};

/** The number of changed files and lines, how many were viewed, and the layout switch. */
export function DiffBar({ files, viewedCount, layout, onLayout, children }: DiffBarProps): ReactElement {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const deleted = files.reduce((sum, file) => sum + file.deleted, 0);
  return (
    <header className={styles.bar}>
      <p>
        {count(files.length, 'file')} <Changed added={added} deleted={deleted} />
        {viewedCount === 0 ? null : <span className="quiet"> · {viewedCount} viewed</span>}
      </p>
      {children}
      <fieldset className={styles.modes}>
        <legend className="visually-hidden">Layout</legend>
        {(['unified', 'split'] as const).map((each) => (
          <button key={each} type="button" aria-pressed={layout === each} onClick={() => onLayout(each)}>
            {each === 'unified' ? 'Unified' : 'Split'}
          </button>
        ))}
      </fieldset>
    </header>
  );
}

/** The numbers of added and deleted lines. */
export function Changed({ added, deleted }: { added: number; deleted: number }): ReactElement | null {
  if (added + deleted === 0) return null;
  return (
    <span className={styles.changed}>
      <span className={styles.plus}>+{added.toLocaleString('en-US')}</span>{' '}
      <span className={styles.minus}>−{deleted.toLocaleString('en-US')}</span>
    </span>
  );
}
