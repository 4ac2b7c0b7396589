import type { ReactElement, ReactNode } from 'react';
import styles from './panel.module.css';

type PanelProps = { title: string; actions?: ReactNode; flush?: boolean; children: ReactNode };

/** A titled section of a page. */
export function Panel({ title, actions, flush = false, children }: PanelProps): ReactElement {
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      <div className={flush ? undefined : styles.body}>{children}</div>
    </section>
  );
}
