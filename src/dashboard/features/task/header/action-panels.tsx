import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { tasksToInvalidate, tasksToReopen } from '../../../../core/run/reopening.ts';
import type { RunState } from '../../../../core/run/state.ts';
import { useAction, useOperation } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { useReturnFocus } from '../../../ui/controls/use-return-focus.ts';
import { ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import type { TaskView } from '../task-facts.ts';
import styles from './task-header.module.css';

const SHOWN = 12;

type RetryPanelProps = { view: TaskView; reload(): void; close(): void };

/** Shows which tasks a retry reopens, and starts it. */
export function RetryPanel({ view, reload, close }: RetryPanelProps): ReactElement {
  const { key } = view.task.spec;
  const query = useOperation('run-state', { run: view.run });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a cached result is loaded again once
  useEffect(() => {
    if (query.data !== undefined) query.reload();
  }, []);
  const retry = useAction('retry-run', {
    done: `Retry of ${key} started`,
    onDone: () => {
      reload();
      close();
    },
  });
  const isDone = view.task.phase.status === 'done';
  const others = query.data === undefined ? [] : affected(query.data.state as RunState, key, isDone);
  return (
    <ActionPanel title={isDone ? 'Redo this task?' : 'Retry this task?'} close={close}>
      {query.error === undefined ? null : <ErrorMessage error={query.error} retry={query.reload} />}
      {query.isLoading ? <Skeleton lines={2} /> : <Affected others={others} isDone={isDone} />}
      <Button weight="main" busy={retry.isBusy} onClick={() => retry.act({ run: view.run, task: key })}>
        {isDone ? 'Redo' : 'Retry'}
      </Button>
    </ActionPanel>
  );
}

function Affected({ others, isDone }: { others: readonly string[]; isDone: boolean }): ReactElement {
  if (others.length === 0) return <p>No other task is affected.</p>;
  const what = isDone ? 'become stale and are redone' : 'are reopened with it';
  return (
    <div>
      <p>
        {count(others.length, 'more task')} {what}:
      </p>
      <ul className={styles.affected}>
        {others.slice(0, SHOWN).map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
        {others.length > SHOWN ? <li className="quiet">and {others.length - SHOWN} more</li> : null}
      </ul>
    </div>
  );
}

function affected(state: RunState, key: string, isDone: boolean): string[] {
  return (isDone ? tasksToInvalidate(state, key) : tasksToReopen(state, [key])).filter((each) => each !== key);
}

/** A panel below the button that opens it; Esc closes it, and the focus returns. */
export function ActionPanel(props: { title: string; close(): void; children: ReactNode }): ReactElement {
  const { title, close, children } = props;
  const panel = useRef<HTMLElement>(null);
  useReturnFocus();
  useEffect(() => panel.current?.focus(), []);
  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <div className={styles.panelHead}>
        <h2>{title}</h2>
        <Button weight="quiet" aria-label="Close" onClick={close}>
          <Icon name="close" size={12} />
        </Button>
      </div>
      {children}
    </section>
  );
}

type RequeuePanelProps = { view: TaskView; reload(): void; close(): void };

/** Explains what starting over does, and starts it. */
export function RequeuePanel({ view, reload, close }: RequeuePanelProps): ReactElement {
  const { key } = view.task.spec;
  const requeue = useAction('retry-run', {
    done: `${key} is starting over`,
    onDone: () => {
      reload();
      close();
    },
  });
  const isRunning = view.task.phase.status === 'running';
  return (
    <ActionPanel title="Start this task over?" close={close}>
      <p>
        {isRunning ? 'The agent is stopped. ' : ''}The next attempt starts in a clean workspace and a new session, and
        previous attempts do not count. All work so far is kept.
      </p>
      <Button
        weight="main"
        busy={requeue.isBusy}
        onClick={() => requeue.act({ run: view.run, task: key, requeue: true })}
      >
        Start over
      </Button>
    </ActionPanel>
  );
}
