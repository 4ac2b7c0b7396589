import {
  Component,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { Link, Route, Switch, useLocation, useSearch } from 'wouter';
import { IS_GUEST, MAY_ACT } from '../api/role.ts';
import { Alerts } from '../features/alerts/alerts.tsx';
import { Button } from '../ui/controls/button.tsx';
import { currentNotices, dismiss, keepForFocus, keepForPointer, onNotices } from '../ui/feedback/notices.ts';
import { EmptyState, ErrorMessage } from '../ui/feedback/placeholders.tsx';
import { Icon } from '../ui/text/icon.tsx';
import { ConfirmationDialog } from './confirmation-dialog.tsx';
import { Connection } from './connection.tsx';
import { GuestRoutes } from './guest-shell.tsx';
import { Navigation } from './navigation.tsx';
import { PAGES } from './pages.ts';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';

/** Keeps the frame visible when a page throws, and shows the error. */
class Boundary extends Component<{ address: string; children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  /** Another page has not thrown. */
  override componentDidUpdate({ address }: { address: string }): void {
    if (address !== this.props.address && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <ErrorMessage error={this.state.error} retry={() => this.setState({ error: undefined })} />;
  }
}

/** The frame around every page: navigation, top bar, connection banner, notices. */
export function Shell(): ReactElement {
  const content = useFocusOnPage();
  const [path] = useLocation();
  const search = useSearch();
  return (
    <div className={styles.shell} data-guest={IS_GUEST}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      {IS_GUEST ? null : <Navigation />}
      <div className={styles.column}>
        {IS_GUEST ? null : (
          <>
            <TopBar />
            <Connection />
          </>
        )}
        <ViewerLine />
        <Notices />
        <main ref={content} id="content" className={styles.content} tabIndex={-1}>
          <Boundary address={`${path}?${search}`}>{IS_GUEST ? <GuestRoutes /> : <Routes />}</Boundary>
        </main>
      </div>
      <Alerts />
      <ConfirmationDialog />
    </div>
  );
}

/** A new page gets the focus, unless one of its fields has taken it. */
function useFocusOnPage(): RefObject<HTMLElement | null> {
  const [path] = useLocation();
  const content = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (content.current?.contains(document.activeElement) === false) content.current.focus({ preventScroll: true });
  }, [path]);
  return content;
}

function Routes(): ReactElement {
  return (
    <Switch>
      {PAGES.map(({ path, view }) => (
        <Route key={path} path={path} component={view} />
      ))}
      <Route>
        <EmptyState title="Page not found">Choose a page from the navigation, or press Ctrl-K.</EmptyState>
      </Route>
    </Switch>
  );
}

/** Tells a viewer or a guest that actions are disabled. */
function ViewerLine(): ReactElement | null {
  if (MAY_ACT) return null;
  return (
    <p className={styles.line}>
      {IS_GUEST
        ? 'Manyhands · this run is shared with you. You can read it, and nothing else.'
        : 'You are logged in as a viewer and can read everything. To act, log in with an operator token.'}
    </p>
  );
}

/** The current notices; screen readers announce them. A narrow screen shows the latest one. */
function Notices(): ReactElement {
  const notices = useSyncExternalStore(onNotices, currentNotices);
  return (
    <ul
      className={styles.notices}
      aria-live="polite"
      onMouseMove={keepForPointer}
      onFocus={() => keepForFocus(true)}
      onBlur={() => keepForFocus(false)}
    >
      {notices.map(({ id, kind, text, hint, to, undo }) => (
        <li key={id} className={styles.notice} data-kind={kind}>
          <div>
            <p>{to === undefined ? text : <Link href={to}>{text}</Link>}</p>
            {hint === undefined ? null : <p className="quiet">{hint}</p>}
          </div>
          {undo === undefined ? null : (
            <Button
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <Button weight="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  );
}
