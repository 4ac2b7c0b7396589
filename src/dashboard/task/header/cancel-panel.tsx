import type { ReactElement } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../look/button.tsx';
import { ActionPanel } from './action-panel.tsx';

/** A task is cancelled with its run; what that means is said first. */
export function CancelPanel({ run, again, close }: { run: string; again(): void; close(): void }): ReactElement {
  const cancel = useAction('cancel-run', {
    done: 'The run is being cancelled',
    onDone: () => {
      again();
      close();
    },
  });
  return (
    <ActionPanel title="Cancel the whole run?" close={close}>
      <p>All its agents are stopped. Everything they made is kept, and its tasks can be tried again later.</p>
      <Button weight="danger" busy={cancel.isBusy} onClick={() => cancel.act({ run })}>
        Cancel run
      </Button>
    </ActionPanel>
  );
}
