import { type ReactElement, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../../api/call.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useNow } from '../../ui/browser/clock.ts';
import { folderName, runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { useListKeys } from '../../ui/controls/list-keys.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { notify } from '../../ui/feedback/notices.ts';
import { EmptyState, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import styles from './inbox.module.css';
import { type Grouping, groupItems, type InboxItem, inboxItems, resolutionOf } from './inbox-items.ts';
import { InboxRow } from './inbox-row.tsx';

const GROUPINGS: readonly { value: Grouping; title: string }[] = [
  { value: 'age', title: 'By age' },
  { value: 'project', title: 'By project' },
];

/** What needs the user in all projects, with the actions that resolve it. */
export function InboxPage(): ReactElement {
  const { runs, isReady } = useOverview();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const { resolve, retry, isBusy } = useInboxActions();
  const grouping = params.get('group') === 'project' ? 'project' : 'age';
  const groups = groupItems(inboxItems(runs), grouping, useNow(60_000));
  const items = groups.flatMap(([, some]) => some);
  const keys = useListKeys(items.length, (key, index) => {
    const item = items[index];
    if (item === undefined) return false;
    if (key === 'Enter') navigate(item.task === null ? runPath(item.run) : taskPath(item.run, item.task));
    else if (key === resolutionOf(item.what).key) resolve(item);
    else if (key === 'r') retry(item);
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
        <Panel title="Nothing needs you">
          <EmptyState title="Your inbox is empty.">
            Plans and work to approve, questions, and blocked or paused runs appear here.
          </EmptyState>
        </Panel>
      ) : null}
      <section className={styles.groups} aria-label="Inbox items" onKeyDown={keys.onKeyDown}>
        {groups.map(([name, some]) => (
          <Panel key={name} title={grouping === 'project' ? folderName(name) : name} flush>
            <ul>
              {some.map((item) => (
                <InboxRow
                  key={item.key}
                  item={item}
                  isBusy={isBusy(item)}
                  rowProps={keys.rowProps(items.indexOf(item))}
                  onResolve={() => resolve(item)}
                />
              ))}
            </ul>
          </Panel>
        ))}
      </section>
    </PageFrame>
  );
}

type InboxActions = {
  /** Resolves an item; a pending request is not repeated. */
  resolve(item: InboxItem): void;
  retry(item: InboxItem): void;
  isBusy(item: InboxItem): boolean;
};

/** Approves, retries or resumes items. An item stays busy until the overview updates it or the request fails. */
function useInboxActions(): InboxActions {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const keyOf = ({ key, since }: InboxItem) => `${key} ${since}`;
  const execute = async (item: InboxItem, request: () => Promise<unknown>, done: string) => {
    const key = keyOf(item);
    if (busy.has(key)) return;
    setBusy((before) => new Set([...before, key]));
    try {
      await request();
      notify({ kind: 'done', text: done });
    } catch (error) {
      setBusy((before) => new Set([...before].filter((each) => each !== key)));
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    }
  };
  const trackOf = ({ track }: InboxItem) => (track === undefined ? {} : { track });
  const about = ({ run, task }: InboxItem) => ({ run, ...(task === null ? {} : { task }) });
  const retry = (item: InboxItem) => void execute(item, () => call('retry-run', about(item)), 'Retry started');
  const answer = (item: InboxItem) => {
    const text = window.prompt(item.reason)?.trim() ?? '';
    const { run, question = '' } = item;
    if (text !== '') void execute(item, () => call('answer-question', { run, question, answer: text }), 'Answered');
  };
  return {
    resolve: (item) => {
      const { operation } = resolutionOf(item.what);
      if (operation === 'approve-run') void execute(item, () => call('approve-run', about(item)), 'Approved');
      else if (operation === 'retry-run') retry(item);
      else if (operation === 'answer-question') answer(item);
      else void execute(item, () => call('resume-runs', { run: item.run, ...trackOf(item) }), 'Resumed');
    },
    retry,
    isBusy: (item) => busy.has(keyOf(item)),
  };
}
