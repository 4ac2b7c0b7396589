import { Component, type ReactElement, type ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Alerts } from '../features/alerts/alerts.tsx';
import { Empty, Trouble } from '../ui/standing.tsx';
import { Connection } from './connection.tsx';
import { Navigation } from './navigation.tsx';
import { Notices } from './notices.tsx';
import { PAGES } from './pages.ts';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';
import { ViewerLine } from './viewer-line.tsx';

/** Keeps the frame standing when a page breaks, and says what broke. */
class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <Trouble error={this.state.error} again={() => this.setState({ error: undefined })} />;
  }
}

/** The frame around every page: where one can go, what waits, whether the picture is live. */
export function Shell(): ReactElement {
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Navigation />
      <div className={styles.column}>
        <TopBar />
        <Connection />
        <ViewerLine />
        <main id="content" className={styles.content} tabIndex={-1}>
          <Boundary>
            <Switch>
              {PAGES.map(({ path, view }) => (
                <Route key={path} path={path} component={view} />
              ))}
              <Route>
                <Empty title="There is no such page">Choose one from the navigation, or press Ctrl-K.</Empty>
              </Route>
            </Switch>
          </Boundary>
        </main>
      </div>
      <Notices />
      <Alerts />
    </div>
  );
}
