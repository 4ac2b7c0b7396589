import { type ReactElement, useEffect, useMemo } from 'react';
import { Link, useParams, useSearch } from 'wouter';
import type { RunState } from '../../../core/run/state.ts';
import { attention } from '../../../core/view/attention.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { useThrottled } from '../../ui/browser/use-now.ts';
import { useRowAt } from '../../ui/browser/use-row-at.ts';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { usePageTitle } from '../../ui/layout/page.tsx';
import { GuestConnection } from '../../ui/run/guest-connection.tsx';
import { AttentionBox } from './header/attention-box.tsx';
import { RunHeader } from './header/run-header.tsx';
import { Summary } from './header/run-summary.tsx';
import { SubRuns } from './header/sub-runs.tsx';
import styles from './run-page.module.css';
import { viewsOf } from './run-views.ts';
import { useRun } from './use-run.ts';

/** A run: header, what needs the user, summary and views. */
export function RunPage(): ReactElement {
  const { run = '' } = useParams();
  const { state, version, inRounds, error, connectionState, reload } = useRun(run);
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
  return (
    <>
      <GuestConnection connectionState={connectionState} />
      <RunView state={state} version={version} inRounds={inRounds} />
    </>
  );
}

type RunViewProps = { state: RunState; version: number; inRounds: boolean };

function RunView({ state, version, inRounds }: RunViewProps): ReactElement {
  const here = new URLSearchParams(useSearch()).get('view');
  const views = viewsOf(state, inRounds);
  const { name, view: View } = views.find((each) => each.name === here) ?? views[0];
  const throttledVersion = useThrottled(version, refreshMs(state));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const waiting = useMemo(() => attention(state), [state, throttledVersion]);
  const path = runPath(state.start.run);
  const tabs = views.map((each) => ({
    name: each.name,
    title: each.title,
    to: each.name === views[0].name ? path : `${path}?view=${each.name}`,
    ...(each.name === 'tasks' ? { count: state.order.length } : {}),
  }));
  return (
    <div className={styles.page}>
      <RunHeader state={state} summary={<Summary state={state} version={version} isWaiting={waiting.length > 0} />} />
      <AttentionBox state={state} waiting={name === 'plan' ? waiting.filter(({ what }) => what !== 'plan') : waiting} />
      <SubRuns state={state} />
      <ViewTabs label="Run views" views={tabs} here={name} />
      <View state={state} version={throttledVersion} />
    </div>
  );
}

/** Marks a run as read while its page is visible. */
function useMarkRead(run: string, isShown: boolean): void {
  const isUnread = useRunOverview(run)?.unread === true;
  const { act } = useAction('mark-read');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `act` changes with every render
  useEffect(() => {
    if (isUnread && isShown && document.visibilityState === 'visible') act({ run });
  }, [run, isUnread, isShown]);
}

/** The refresh interval of lists of all tasks, by the number of tasks. */
function refreshMs({ order }: RunState): number {
  if (order.length < 500) return 0;
  return order.length < 3_000 ? 250 : 1_000;
}

type ViewLink = { name: string; title: string; to: string; count?: number };

/** Links to the views of a run; each has its own address. */
function ViewTabs(props: { label: string; views: readonly ViewLink[]; here: string }): ReactElement {
  const row = useRowAt(`${props.here} ${props.views.length}`);
  return (
    <nav ref={row} className={styles.tabs} aria-label={props.label}>
      {props.views.map(({ name, title, to, count }) => (
        <Link key={name} href={to} className={styles.tab} aria-current={name === props.here ? 'page' : undefined}>
          {title}
          {count === undefined ? null : <span className={styles.count}>{count.toLocaleString('en-US')}</span>}
        </Link>
      ))}
    </nav>
  );
}
