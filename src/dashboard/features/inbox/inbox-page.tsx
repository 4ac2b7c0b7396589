import type { ReactElement } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useOverview } from '../../api/overview.ts';
import { count } from '../../ui/amounts.tsx';
import { useNow } from '../../ui/clock.ts';
import { useListKeys } from '../../ui/list-keys.ts';
import { PageFrame } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { folderName, runPath, taskPath } from '../../ui/paths.ts';
import { Empty, Skeleton } from '../../ui/standing.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './inbox.module.css';
import { useSettle } from './use-settle.ts';
import { type Grouping, groupWaiting, settlingOf, waitingIn } from './waiting.ts';
import { WaitingRow } from './waiting-row.tsx';

const GROUPINGS: readonly { value: Grouping; title: string }[] = [
  { value: 'age', title: 'By age' },
  { value: 'project', title: 'By project' },
];

/** What waits for a person in all projects, and the way to settle it in place. */
export function InboxPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const { settle, retry, isBusy } = useSettle();
  const grouping = params.get('group') === 'project' ? 'project' : 'age';
  const groups = groupWaiting(waitingIn(runs), grouping, useNow(60_000));
  const items = groups.flatMap(([, some]) => some);
  const keys = useListKeys(items.length, (key, index) => {
    const item = items[index];
    if (item === undefined) return false;
    if (key === 'Enter') navigate(item.task === null ? runPath(item.run) : taskPath(item.run, item.task));
    else if (key === settlingOf(item.what).key) settle(item);
    else if (key === 'r') retry(item);
    else return false;
    return true;
  });
  return (
    <PageFrame
      title="Inbox"
      about={
        items.length === 0 ? (
          'What needs you, from all projects.'
        ) : (
          <>
            {count(items.length, 'thing')} waiting.{' '}
            <span className={styles.keys}>j and k move, a approves, r retries, Enter opens.</span>
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
        <Panel title="Nothing waits for you">
          <Empty title="All clear.">
            Approvals, held work, and blocked or paused runs will appear here by themselves.
          </Empty>
        </Panel>
      ) : null}
      <section className={styles.groups} aria-label="What waits" onKeyDown={keys.onKeyDown}>
        {groups.map(([name, some]) => (
          <Panel key={name} title={grouping === 'project' ? folderName(name) : name} flush>
            <ul>
              {some.map((item) => (
                <WaitingRow
                  key={item.key}
                  item={item}
                  isBusy={isBusy(item)}
                  rowProps={keys.rowProps(items.indexOf(item))}
                  onSettle={() => settle(item)}
                />
              ))}
            </ul>
          </Panel>
        ))}
      </section>
    </PageFrame>
  );
}
