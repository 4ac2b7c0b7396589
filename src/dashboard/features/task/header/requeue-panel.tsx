import type { ReactElement } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import type { TaskView } from '../task-view.ts';
import { ActionPanel } from './action-panel.tsx';

type RequeuePanelProps = { view: TaskView; again(): void; close(): void };

/** Puts the task back in line as if it had never been tried; what that does is said first. */
export function RequeuePanel({ view, again, close }: RequeuePanelProps): ReactElement {
  const { key } = view.task.spec;
  const requeue = useAction('retry-run', {
    done: `${key} starts over`,
    onDone: () => {
      again();
      close();
    },
  });
  const isRunning = view.task.phase.status === 'running';
  return (
    <ActionPanel title="Start this task over?" close={close}>
      <p>
        {isRunning ? 'The agent is stopped. ' : ''}The next attempt begins in a clean workspace and a new session, and
        what was tried does not count. All work so far stays saved.
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
