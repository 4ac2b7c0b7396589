import type { ReactElement, ReactNode } from 'react';
import styles from './page.module.css';
import { usePageTitle } from './page-title.ts';

type PageProps = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode };

/** A page: its name, what it is for, what can be chosen, and its parts below each other. */
export function PageFrame({ title, about, actions, children }: PageProps): ReactElement {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          <h1>{title}</h1>
          {about === undefined ? null : <p className="quiet">{about}</p>}
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
