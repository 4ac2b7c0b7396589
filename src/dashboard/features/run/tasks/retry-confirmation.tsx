import type { ReactElement } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { useReturnFocus } from '../../../ui/controls/use-return-focus.ts';
import { count } from '../../../ui/text/amounts.tsx';
import styles from './retry-confirmation.module.css';
import { retryEffect } from './task-plan.ts';

const NAMED = 6;

/** Shows which tasks a retry affects, and asks for confirmation. */
export function RetryConfirmation(props: { state: RunState; task: string; onDone(): void }): ReactElement | null {
  const { state, task, onDone } = props;
  const retry = useAction('retry-run', { done: 'Retry started', onDone });
  const effect = retryEffect(state, task);
  useReturnFocus();
  if (effect === null) return null;
  const others = effect.tasks.filter((key) => key !== task);
  const title = state.tasks[task]?.spec.title ?? task;
  return (
    <div
      className={styles.question}
      role="alertdialog"
      aria-label="Retry"
      onKeyDown={({ key }) => (key === 'Escape' ? onDone() : undefined)}
    >
      <p>
        Retry <strong>{title}</strong>?{' '}
        {effect.kind === 'makes-stale'
          ? others.length === 0
            ? 'It is done, and no task depends on it.'
            : `It is done. ${count(others.length, 'task depends on it and becomes stale', 'tasks depend on it and become stale')}:`
          : others.length === 0
            ? 'No other task is affected.'
            : `${count(others.length, 'more task is reopened', 'more tasks are reopened')}:`}
      </p>
      {others.length === 0 ? null : (
        <p className="quiet">
          {others
            .slice(0, NAMED)
            .map((key) => state.tasks[key]?.spec.title ?? key)
            .join(', ')}
          {others.length > NAMED ? ` and ${others.length - NAMED} more` : ''}
        </p>
      )}
      <p className={styles.buttons}>
        <Button weight="main" busy={retry.isBusy} onClick={() => retry.act({ run: state.start.run, task })}>
          Retry
        </Button>
        <Button weight="quiet" autoFocus onClick={onDone}>
          No
        </Button>
      </p>
    </div>
  );
}
