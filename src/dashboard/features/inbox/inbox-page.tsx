import { type ReactElement, useRef } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { decisionPath } from '../../../core/view/decision-path.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { folderName, runPath } from '../../ui/browser/page-paths.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { isTyping, useListKeys } from '../../ui/controls/list-keys.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { FailedRow } from '../../ui/run/failed-row.tsx';
import { WaitingRow } from '../../ui/run/waiting-row.tsx';
import { count } from '../../ui/text/amounts.tsx';
import styles from './inbox.module.css';
import { type Grouping, groupItems, inboxItems } from './inbox-items.ts';

const GROUPINGS: readonly { value: Grouping; title: string }[] = [
  { value: 'age', title: 'By age' },
  { value: 'project', title: 'By project' },
];

/** The time for the groups by age: an item changes its group only while no answer is being written. */
function useNowUnlessTyping(): number {
  const now = useNow(60_000);
  const shown = useRef(now);
  if (!isTyping(document.activeElement)) shown.current = now;
  return shown.current;
}

/** What needs the user in all projects, with the way to each decision. No key decides by itself. */
export function InboxPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const retry = useAction('retry-run', { done: 'Retry started' });
  const grouping = params.get('group') === 'project' ? 'project' : 'age';
  const now = useNowUnlessTyping();
  const groups = groupItems(inboxItems(runs, now), grouping, now);
  const items = groups.flatMap(([, some]) => some);
  const keys = useListKeys(items.length, (key, index) => {
    const item = items[index];
    if (item === undefined) return false;
    const { run } = item.run;
    const { waiting } = item;
    if (key === 'Enter') navigate(waiting === undefined ? runPath(run) : decisionPath({ ...waiting, run }));
    else if (key === 'r' && (waiting === undefined || waiting.what === 'blocked'))
      retry.act(waiting?.task == null ? { run } : { run, task: waiting.task });
    else return false;
    return true;
  });
  return (
    <PageFrame
      title="Inbox"
      about={
        items.length === 0 ? (
          'What needs you in all projects.'
        ) : (
          <>
            {count(items.length, 'item')}.{' '}
            <span className={styles.keys}>
              j and k move, Enter opens what is to be decided, r retries blocked and failed work.
            </span>
          </>
        )
      }
      actions={
        <Tabs
          label="Order"
          options={GROUPINGS}
          value={grouping}
          onChoose={(group) => setParams({ group }, { replace: true })}
        />
      }
    >
      {isReady ? null : <Skeleton lines={6} />}
      {isReady && items.length === 0 ? (
        <Panel title="Nothing needs you">
          <EmptyState title="Your inbox is empty.">
            Plans and work to approve, questions, and blocked, paused or failed runs appear here.
          </EmptyState>
        </Panel>
      ) : null}
      <section className={styles.groups} aria-label="Inbox items" onKeyDown={keys.onKeyDown}>
        {groups.map(([name, some]) => (
          <Panel key={name} title={grouping === 'project' ? folderName(name) : name} flush>
            <ul>
              {some.map((item) => {
                const { key, run, waiting } = item;
                const rowProps = keys.rowProps(items.indexOf(item));
                return waiting === undefined ? (
                  <FailedRow key={key} run={run} rowProps={rowProps} />
                ) : (
                  <WaitingRow key={key} entry={{ run, item: waiting }} rowProps={rowProps} />
                );
              })}
            </ul>
          </Panel>
        ))}
      </section>
    </PageFrame>
  );
}
