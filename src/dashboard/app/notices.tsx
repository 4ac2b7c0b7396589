import { type ReactElement, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { currentNotices, dismiss, onNotices } from '../ui/notices.ts';
import styles from './notices.module.css';

/** What was just said, in a corner; screen readers hear it. */
export function Notices(): ReactElement {
  const notices = useSyncExternalStore(onNotices, currentNotices);
  return (
    <ul className={styles.notices} aria-live="polite">
      {notices.map(({ id, kind, text, hint, to }) => (
        <li key={id} className={styles.notice} data-kind={kind}>
          <div>
            <p>{to === undefined ? text : <Link href={to}>{text}</Link>}</p>
            {hint === undefined ? null : <p className="quiet">{hint}</p>}
          </div>
          <Button weight="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  );
}
