import { type ReactElement, type ReactNode, useEffect, useSyncExternalStore } from 'react';
import styles from './page.module.css';

let currentTitle = '';
const listeners = new Set<() => void>();

type PageProps = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode };

/** The frame of a page: title, description, actions and content. */
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

/** Sets the title of the browser tab; an empty title means the dashboard itself. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    set(title);
    return () => set('');
  }, [title]);
}

/** The title of the current page. */
export function useTitle(): string {
  return useSyncExternalStore(listen, () => currentTitle);
}

function set(next: string): void {
  currentTitle = next;
  for (const listener of listeners) listener();
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
