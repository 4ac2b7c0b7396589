import type { ReactElement } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useOverview } from '../../api/run-overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { folderName } from '../../ui/browser/page-paths.ts';
import { useNow } from '../../ui/browser/use-now.ts';
import { useListKeys } from '../../ui/controls/list-keys.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { decisionPath } from '../../ui/run/attention-actions.tsx';
import { count } from '../../ui/text/amounts.tsx';
import styles from './inbox.module.css';
import { type Grouping, groupItems, inboxItems } from './inbox-items.ts';
import { InboxRow } from './inbox-row.tsx';

const GROUPINGS: readonly { value: Grouping; title: string }[] = [
  { value: 'age', title: 'By age' },
  { value: 'project', title: 'By project' },
];

/** What needs the user in all projects, with the way to each decision. No key decides by itself. */
export function InboxPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const retry = useAction('retry-run', { done: 'Retry started' });
  const grouping = params.get('group') === 'project' ? 'project' : 'age';
  const groups = groupItems(inboxItems(runs), grouping, useNow(60_000));
  const items = groups.flatMap(([, some]) => some);
  const keys = useListKeys(items.length, (key, index) => {
    const item = items[index];
    if (item === undefined) return false;
    const { run, task, what } = item;
    if (key === 'Enter') navigate(decisionPath(item));
    else if (key === 'r' && what === 'blocked') retry.act(task === null ? { run } : { run, task });
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
              j and k move, Enter opens what is to be decided, r retries blocked work.
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
            Plans and work to approve, and blocked or paused runs appear here.
          </EmptyState>
        </Panel>
      ) : null}
      <section className={styles.groups} aria-label="Inbox items" onKeyDown={keys.onKeyDown}>
        {groups.map(([name, some]) => (
          <Panel key={name} title={grouping === 'project' ? folderName(name) : name} flush>
            <ul>
              {some.map((item) => (
                <InboxRow key={item.key} item={item} rowProps={keys.rowProps(items.indexOf(item))} />
              ))}
            </ul>
          </Panel>
        ))}
      </section>
    </PageFrame>
  );
}
