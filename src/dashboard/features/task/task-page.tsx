import { type ReactElement, useRef } from 'react';
import { useRunOverview } from '../../api/overview.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { Skeleton, Trouble } from '../../ui/standing.tsx';
import { ContinueBox } from './continue-box.tsx';
import { TaskHeader } from './header/task-header.tsx';
import styles from './task-page.module.css';
import { TaskTabs } from './task-tabs.tsx';
import { TaskViews } from './task-views.tsx';
import { type Address, useAddress } from './use-address.ts';
import { useTask } from './use-task.ts';

/** One task: how it stands, what its agents said and did, and the ways to steer it. */
export function TaskPage(): ReactElement {
  const address = useAddress();
  return <Task key={`${address.run} ${address.task}`} address={address} />;
}

function Task({ address }: { address: Address }): ReactElement {
  const { run, task, view: tab } = address;
  const { view, error, again } = useTask(run, task);
  const live = useRunOverview(run)?.live.find((each) => each.task === task);
  const message = useRef<HTMLTextAreaElement>(null);
  usePageTitle(view?.task.spec.title ?? task);
  if (view === undefined)
    return error === undefined ? <Skeleton lines={14} /> : <Trouble error={error} again={again} />;
  const hasTerminal = tab === 'terminal' || view.task.attempts.some(({ process }) => process?.terminal !== undefined);
  return (
    <div className={styles.page}>
      <TaskHeader view={view} live={live} again={again} onContinue={() => message.current?.focus()} />
      <TaskTabs address={address} task={view.task} hasTerminal={hasTerminal} />
      <div className={styles.body} role="tabpanel" aria-label={tab}>
        <TaskViews address={address} view={view} again={again} />
      </div>
      {tab === 'diff' || tab === 'terminal' ? null : <ContinueBox view={view} again={again} field={message} />}
    </div>
  );
}
