import type { ReactElement } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { SHARED_RUNS } from '../api/role.ts';
import { runPath } from '../ui/browser/page-paths.ts';
import { EmptyState } from '../ui/feedback/placeholders.tsx';
import { PageFrame } from '../ui/layout/page.tsx';
import { PAGES } from './pages.ts';

/** The pages of a run and its tasks; a guest has no other. */
const GUEST_PAGES = PAGES.filter(({ path }) => path.startsWith('/runs/'));

/** The routes of a guest: the runs that were shared with them. */
export function GuestRoutes(): ReactElement {
  const [first, second] = SHARED_RUNS;
  return (
    <Switch>
      {GUEST_PAGES.map(({ path, view }) => (
        <Route key={path} path={path} component={view} />
      ))}
      <Route path="/">
        {first !== undefined && second === undefined ? <Redirect to={runPath(first)} replace /> : <SharedRuns />}
      </Route>
      <Route>
        <EmptyState title="This page is not shared">
          <Link href="/" className="link">
            Open what is shared with you
          </Link>
        </EmptyState>
      </Route>
    </Switch>
  );
}

function SharedRuns(): ReactElement {
  return (
    <PageFrame title="Shared with you">
      <ul>
        {SHARED_RUNS.map((run) => (
          <li key={run}>
            <Link href={runPath(run)}>Run {run}</Link>
          </li>
        ))}
      </ul>
    </PageFrame>
  );
}
