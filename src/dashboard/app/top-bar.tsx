import type { ReactElement } from 'react';
import { useOverview } from '../api/run-overview.ts';
import { Palette } from '../features/palette/palette.tsx';
import type { PageName } from '../features/palette/use-palette-entries.ts';
import { useShortcuts } from '../features/palette/use-shortcuts.ts';
import { setTheme, THEMES, useTheme } from '../ui/browser/preferences.ts';
import { Button, LinkButton } from '../ui/controls/button.tsx';
import { lazyView } from '../ui/feedback/lazy-view.tsx';
import { runDisplayState } from '../ui/state/display-state.ts';
import { count, Money } from '../ui/text/amounts.tsx';
import { Icon } from '../ui/text/icon.tsx';
import { PAGES } from './pages.ts';
import styles from './top-bar.module.css';

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

const KeyboardHelp = lazyView(async () => (await import('../features/palette/keyboard-help.tsx')).KeyboardHelp, 1);

const THEME_LABELS = { system: 'system', light: 'light', dark: 'dark' } as const;

/** Pages without a parameter in their address. */
const LISTED_PAGES = PAGES.filter(({ path }) => !path.includes(':'));

/** The numbers of running agents and runs, their cost, and the button for a new run. */
export function TopBar(): ReactElement {
  const { runs } = useOverview();
  const active = runs.filter(
    (run) =>
      (run.status === 'running' || run.status === 'needs-rerun' || run.status === 'cancelling') &&
      runDisplayState(run) !== 'scheduled',
  );
  const agents = runs.reduce((sum, { liveCount }) => sum + liveCount, 0);
  const cost = active.reduce((sum, run) => sum + run.cost, 0);
  return (
    <header className={styles.bar}>
      <p className={styles.numbers}>
        <span>{agents === 0 ? 'No agent is running' : `${count(agents, 'agent')} running`}</span>
        {active.length === 0 ? null : <span>{count(active.length, 'run')} active</span>}
        {cost === 0 ? null : (
          <span>
            <Money usd={cost} /> spent by them
          </span>
        )}
      </p>
      <div className={styles.actions} id="top-bar-actions">
        <PaletteControls pages={LISTED_PAGES} />
        <ThemeSwitch />
        <LinkButton to="/start" weight="main">
          <Icon name="plus" />
          New run
        </LinkButton>
      </div>
    </header>
  );
}

/** Switches to the next theme. */
function ThemeSwitch(): ReactElement {
  const theme = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const label = `Theme: ${THEME_LABELS[theme]}. Switch to ${THEME_LABELS[next]}`;
  return (
    <Button weight="quiet" aria-label={label} title={label} onClick={() => setTheme(next)}>
      <Icon name="theme" />
    </Button>
  );
}

/** The global shortcuts with the dialogs that they open, loaded up front so that no key press is lost; the list of keys is not. */
function PaletteControls({ pages }: { pages: readonly PageName[] }): ReactElement {
  const [open, setOpen] = useShortcuts();
  const close = () => setOpen(undefined);
  return (
    <>
      <Button weight="quiet" onClick={() => setOpen('palette')} title="Command palette (Ctrl-K)">
        <Icon name="search" />
        <span className="visually-hidden">Command palette</span>
        <kbd>{IS_APPLE ? '⌘ K' : 'Ctrl K'}</kbd>
      </Button>
      {open === 'palette' ? <Palette pages={pages} onClose={close} /> : null}
      {open === 'help' ? <KeyboardHelp pages={pages} onClose={close} /> : null}
    </>
  );
}
