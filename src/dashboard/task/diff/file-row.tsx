import type { ReactElement } from 'react';
import { Copyable } from '../../look/copyable.tsx';
import { Icon } from '../../look/icon.tsx';
import styles from './diff.module.css';
import { Changed } from './diff-bar.tsx';
import type { DiffFile } from './parse.ts';

/** The head of a file: its name, what happened to it, how much, and its fold. */
export function FileRow({ file, isOpen, toggle }: { file: DiffFile; isOpen: boolean; toggle(): void }): ReactElement {
  return (
    <div className={styles.file}>
      <button type="button" className={styles.fold} aria-expanded={isOpen} aria-label={file.path} onClick={toggle}>
        <Icon name="chevron" size={12} />
      </button>
      <h2 className={styles.path}>
        <Copyable text={file.path} />
      </h2>
      {file.status === 'modified' ? null : <span className={styles.status}>{statusOf(file)}</span>}
      <Changed added={file.added} deleted={file.deleted} />
    </div>
  );
}

function statusOf({ status, from }: DiffFile): string {
  return status === 'renamed' ? `renamed from ${from ?? '?'}` : status;
}
