import type { ReactElement } from 'react';
import { Link } from 'wouter';
import styles from './view-links.module.css';

export type ViewLink = { name: string; title: string; to: string; count?: number };

/** Ways to look at one thing; each has its own address. */
export function ViewLinks(props: { label: string; views: readonly ViewLink[]; here: string }): ReactElement {
  return (
    <nav className={styles.tabs} aria-label={props.label}>
      {props.views.map(({ name, title, to, count }) => (
        <Link key={name} href={to} className={styles.tab} aria-current={name === props.here ? 'page' : undefined}>
          {title}
          {count === undefined ? null : <span className={styles.count}>{count.toLocaleString('en-US')}</span>}
        </Link>
      ))}
    </nav>
  );
}
