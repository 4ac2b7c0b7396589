import { type ReactElement, useState } from 'react';
import { IS_GUEST } from '../../../api/role.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import type { TaskView } from '../task-facts.ts';
import { ActionPanel, RequeuePanel, RetryPanel } from './action-panels.tsx';
import { availableActions } from './available-actions.ts';
import styles from './task-header.module.css';

type TaskActionsProps = { view: TaskView; reload(): void; onMessage(): void };

/** The actions of a task; irreversible ones open an explanation first. */
export function TaskActions({ view, reload, onMessage }: TaskActionsProps): ReactElement | null {
  const [panel, setPanel] = useState<'retry' | 'requeue' | 'cancel'>();
  const can = availableActions(view);
  const close = () => setPanel(undefined);
  if (IS_GUEST) return null;
  const opens = (name: 'retry' | 'requeue' | 'cancel') => ({
    'aria-expanded': panel === name,
    onClick: () => setPanel(panel === name ? undefined : name),
  });
  return (
    <div className={styles.actions}>
      {can.retry ? (
        <Button aria-expanded={panel === 'retry'} onClick={() => setPanel(panel === 'retry' ? undefined : 'retry')}>
          {can.retry === 'redo' ? 'Redo…' : 'Retry…'}
        </Button>
      ) : null}
      {can.requeue ? <Button {...opens('requeue')}>Start over…</Button> : null}
      {can.message ? <Button onClick={onMessage}>Message…</Button> : null}
      {can.cancel ? (
        <Button
          weight="danger"
          aria-expanded={panel === 'cancel'}
          onClick={() => setPanel(panel === 'cancel' ? undefined : 'cancel')}
        >
          Cancel run…
        </Button>
      ) : null}
      {panel === 'retry' ? <RetryPanel view={view} reload={reload} close={close} /> : null}
      {panel === 'requeue' ? <RequeuePanel view={view} reload={reload} close={close} /> : null}
      {panel === 'cancel' ? <CancelPanel run={view.run} reload={reload} close={close} /> : null}
    </div>
  );
}

/** A task is cancelled with its whole run; the panel explains that first. */
function CancelPanel({ run, reload, close }: { run: string; reload(): void; close(): void }): ReactElement {
  const cancel = useAction('cancel-run', {
    done: 'Cancelling the run',
    onDone: () => {
      reload();
      close();
    },
  });
  return (
    <ActionPanel title="Cancel the whole run?" close={close}>
      <p>All its agents are stopped. Their work is kept, and tasks can be retried later.</p>
      <Button weight="danger" busy={cancel.isBusy} onClick={() => cancel.act({ run })}>
        Cancel run
      </Button>
    </ActionPanel>
  );
}
