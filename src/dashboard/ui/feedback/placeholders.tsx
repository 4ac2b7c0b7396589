import type { ReactElement, ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { Button } from '../controls/button.tsx';
import styles from './placeholders.module.css';

/** Placeholder lines while content is loading; they keep the layout stable. */
export function Skeleton({ lines = 3 }: { lines?: number }): ReactElement {
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        // The lines are identical and never reordered.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <span key={index} className={styles.line} />
      ))}
    </div>
  );
}

/** Shown where there is no content: why, and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }): ReactElement {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children === undefined ? null : <div className="quiet">{children}</div>}
    </div>
  );
}

/** An error, its hint, and a button that tries again. */
export function ErrorMessage({ error, retry }: { error: unknown; retry?: () => void }): ReactElement {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return (
    <div className={styles.trouble} role="alert">
      <p className={styles.title}>{error instanceof Error ? error.message : String(error)}</p>
      {hint === undefined ? null : <p>{hint}</p>}
      {retry === undefined ? null : <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
