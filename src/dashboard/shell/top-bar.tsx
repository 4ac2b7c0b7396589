import type { ReactElement } from 'react';
import { useOverview } from '../api/overview.ts';
import { count, Money } from '../look/amounts.tsx';
import { LinkButton } from '../look/button.tsx';
import { Icon } from '../look/icon.tsx';
import { Overlay } from '../palette/overlay.tsx';
import { PAGES } from './pages.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import styles from './top-bar.module.css';

/** Pages that need nothing named to be looked at. */
const REACHED = PAGES.filter(({ path }) => !path.includes(':'));

/** What is under way right now, in three numbers, and the way to start something. */
export function TopBar(): ReactElement {
  const { runs } = useOverview();
  const going = runs.filter(({ status }) => status === 'running' || status === 'cancelling');
  const agents = runs.reduce((sum, { liveCount }) => sum + liveCount, 0);
  const cost = going.reduce((sum, run) => sum + run.cost, 0);
  return (
    <header className={styles.bar}>
      <p className={styles.numbers}>
        <span>{count(agents, 'agent')} at work</span>
        <span>{count(going.length, 'run')} under way</span>
        {going.length === 0 ? null : (
          <span>
            <Money usd={cost} /> spent on {going.length === 1 ? 'it' : 'them'}
          </span>
        )}
      </p>
      <div className={styles.actions} id="top-bar-actions">
        <Overlay pages={REACHED} />
        <ThemeSwitch />
        <LinkButton to="/start" weight="main">
          <Icon name="plus" />
          New run
        </LinkButton>
      </div>
    </header>
  );
}
