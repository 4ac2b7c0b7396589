import { type ReactElement, useEffect, useMemo } from 'react';
import { Link, useParams, useSearch } from 'wouter';
import type { RunState } from '../../../core/run/state.ts';
import { attention } from '../../../core/view/attention.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { useThrottled } from '../../ui/browser/clock.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { usePageTitle } from '../../ui/layout/page.tsx';
import { AttentionBox } from './header/attention-box.tsx';
import { RunHeader } from './header/run-header.tsx';
import { Summary } from './header/run-summary.tsx';
import styles from './run-page.module.css';
import { VIEWS } from './run-views.ts';
import { useRun } from './use-run.ts';

/** A run: how it stands, what it needs, and every way to look at it. */
export function RunPage(): ReactElement {
  const { run = '' } = useParams();
  const { state, version, error, reload } = useRun(run);
  useMarkRead(run, state !== undefined);
  usePageTitle(state?.start.title ?? `Run ${run}`);
  if (error !== undefined) {
    return (
      <div className={styles.page}>
        <h1>Run {run}</h1>
        <ErrorMessage error={error} retry={reload} />
      </div>
    );
  }
  if (state === undefined) return <Skeleton lines={12} />;
  return <RunView state={state} version={version} />;
}

function RunView({ state, version }: { state: RunState; version: number }): ReactElement {
  const here = new URLSearchParams(useSearch()).get('view');
  const { name, view: View } = VIEWS.find((each) => each.name === here) ?? VIEWS[0];
  const throttledVersion = useThrottled(version, refreshMs(state));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place, the version tells
  const waiting = useMemo(() => attention(state), [state, throttledVersion]);
  const path = runPath(state.start.run);
  const tabs = VIEWS.map((each) => ({
    name: each.name,
    title: each.title,
    to: each.name === VIEWS[0].name ? path : `${path}?view=${each.name}`,
    ...(each.name === 'tasks' ? { count: state.order.length } : {}),
  }));
  return (
    <div className={styles.page}>
      <RunHeader state={state} />
      <AttentionBox state={state} waiting={waiting} />
      <Summary
        run={state.start.run}
        version={version}
        isEnded={state.status.kind === 'ended'}
        isWaiting={waiting.length > 0}
      />
      <ViewTabs label="Ways to look at the run" views={tabs} here={name} />
      <View state={state} version={throttledVersion} />
    </div>
  );
}

/** A run that is looked at has been read; also what happens to it meanwhile. */
function useMarkRead(run: string, isShown: boolean): void {
  const isUnread = useRunOverview(run)?.unread === true;
  const { act } = useAction('mark-read');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `act` is made anew with every render
  useEffect(() => {
    if (isUnread && isShown && document.visibilityState === 'visible') act({ run });
  }, [run, isUnread, isShown]);
}

/** The more tasks there are, the less often lists of all of them are made anew. */
function refreshMs({ order }: RunState): number {
  if (order.length < 500) return 0;
  return order.length < 3_000 ? 250 : 1_000;
}

type ViewLink = { name: string; title: string; to: string; count?: number };

/** Ways to look at one thing; each has its own address. */
function ViewTabs(props: { label: string; views: readonly ViewLink[]; here: string }): ReactElement {
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
