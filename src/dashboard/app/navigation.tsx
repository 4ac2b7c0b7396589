import { type ReactElement, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { needsYou } from '../../core/view/needs-you.ts';
import { useOverview } from '../api/run-overview.ts';
import { useNow } from '../ui/browser/use-now.ts';
import { Icon } from '../ui/text/icon.tsx';
import styles from './navigation.module.css';
import { PAGES, type Page } from './pages.ts';

/** The number of pages that a narrow screen shows before "More". */
const NARROW = 4;

/** Links to all pages; on a narrow screen the first few, and the others behind a button. */
export function Navigation(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const waiting = needsYou(useOverview().runs, useNow(60_000)).count;
  const pages = PAGES.filter(({ icon }) => icon !== undefined);
  return (
    <nav className={styles.navigation} aria-label="Pages" data-open={isOpen}>
      <Link href="/" className={styles.name}>
        Manyhands
      </Link>
      <ul className={styles.pages} onClick={() => setOpen(false)} onKeyDown={() => {}}>
        {pages.map((page, index) => (
          <Entry key={page.path} page={page} waiting={waiting} isFirst={index < NARROW} />
        ))}
      </ul>
      <button type="button" className={styles.more} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="more" />
        More
      </button>
    </nav>
  );
}

function Entry({ page, waiting, isFirst }: { page: Page; waiting: number; isFirst: boolean }): ReactElement {
  const [isHere] = useRoute(page.path);
  const waits = page.path === '/inbox' && waiting > 0;
  return (
    <li data-first={isFirst}>
      <Link href={page.path} className={styles.entry} aria-current={isHere ? 'page' : undefined}>
        {page.icon === undefined ? null : <Icon name={page.icon} />}
        <span>{page.title}</span>
        {waits ? (
          <span className={styles.count}>
            {waiting}
            <span className="visually-hidden"> waiting</span>
          </span>
        ) : null}
      </Link>
    </li>
  );
}
