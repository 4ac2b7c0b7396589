import { type KeyboardEvent, type ReactElement, useRef } from 'react';
import type { TaskState } from '../../../core/run/state.ts';
import { IS_GUEST } from '../../api/role.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import { useRowAt } from '../../ui/browser/use-row-at.ts';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { usePageTitle } from '../../ui/layout/page.tsx';
import { GuestConnection } from '../../ui/run/guest-connection.tsx';
import { pairGates } from './gates/gate-results.ts';
import { CheckpointPanel } from './header/checkpoint-panel.tsx';
import { TaskHeader } from './header/task-header.tsx';
import { MessageBox } from './message-box.tsx';
import styles from './task-page.module.css';
import { TaskViews } from './task-views.tsx';
import { useTask } from './use-task.ts';
import { type Address, useAddress, VIEWS, type View } from './use-task-address.ts';

/** One task: its state, transcript, attempts, gates and diff, and its actions. */
export function TaskPage(): ReactElement {
  const address = useAddress();
  return <Task key={`${address.run} ${address.task}`} address={address} />;
}

function Task({ address }: { address: Address }): ReactElement {
  const { run, task, view: tab } = address;
  const { view, error, connectionState, reload } = useTask(run, task);
  const overview = useRunOverview(run);
  const live = overview?.live.find((each) => each.task === task);
  const message = useRef<HTMLTextAreaElement>(null);
  usePageTitle(view?.task.spec.title ?? task);
  if (view === undefined)
    return error === undefined ? <Skeleton lines={14} /> : <ErrorMessage error={error} retry={reload} />;
  const hasTerminal =
    !IS_GUEST && (tab === 'terminal' || view.task.attempts.some(({ process }) => process?.terminal !== undefined));
  return (
    <div className={styles.page}>
      <GuestConnection connectionState={connectionState} />
      <TaskHeader
        view={view}
        live={live}
        current={overview}
        isDiffShown={tab === 'diff'}
        reload={reload}
        onMessage={() => message.current?.focus()}
      />
      {view.checkpoint === undefined ? null : <CheckpointPanel checkpoint={view.checkpoint} />}
      <TaskTabs address={address} task={view.task} hasTerminal={hasTerminal} />
      <div className={styles.body} role="tabpanel" aria-label={tab}>
        <TaskViews address={address} view={view} reload={reload} />
      </div>
      {IS_GUEST || tab === 'diff' || tab === 'terminal' ? null : (
        <MessageBox view={view} reload={reload} field={message} />
      )}
    </div>
  );
}

type TaskTabsProps = { address: Address; task: TaskState; hasTerminal: boolean };

/** The tabs of a task, each with its own address; arrow keys move between them. */
function TaskTabs({ address, task, hasTerminal }: TaskTabsProps): ReactElement {
  const views = VIEWS.filter((view) => view !== 'terminal' || hasTerminal);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = views[(views.indexOf(address.view) + by + views.length) % views.length];
    if (next === undefined) return;
    event.preventDefault();
    address.show({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  const row = useRowAt(`${address.view} ${views.length}`);
  return (
    <div className={styles.bar}>
      <div ref={row} className={styles.tabs} role="tablist" aria-label="Views" tabIndex={-1} onKeyDown={onKeyDown}>
        {views.map((view) => (
          <button
            key={view}
            id={`tab-${view}`}
            type="button"
            role="tab"
            className={styles.tab}
            aria-selected={view === address.view}
            tabIndex={view === address.view ? 0 : -1}
            onClick={() => address.show({ view })}
          >
            {TITLES[view]}
            <Count task={task} view={view} />
          </button>
        ))}
      </div>
      {address.view === 'transcript' && task.attempts.length > 1 ? <Choice address={address} task={task} /> : null}
    </div>
  );
}

const TITLES: Record<View, string> = {
  transcript: 'Transcript',
  attempts: 'Attempts',
  gates: 'Gates',
  diff: 'Diff',
  prompt: 'Prompt',
  terminal: 'Terminal',
};

function Count({ task, view }: { task: TaskState; view: View }): ReactElement | null {
  const number =
    view === 'attempts'
      ? task.attempts.length
      : view === 'gates'
        ? pairGates(task.spec.gates, task.evidence).length
        : 0;
  return number === 0 ? null : <span className={styles.count}>{number}</span>;
}

function Choice({ address, task }: { address: Address; task: TaskState }): ReactElement {
  const chosen = address.attempt ?? task.attempts.at(-1)?.number;
  return (
    <label className={styles.choice}>
      Attempt
      <select value={chosen} onChange={(event) => address.show({ attempt: Number(event.target.value) })}>
        {task.attempts.toReversed().map(({ number, agent, ended }) => (
          <option key={number} value={number}>
            {number} · {agent} · {ended === null ? 'running' : (ended.failure?.kind ?? 'ended')}
          </option>
        ))}
      </select>
    </label>
  );
}
