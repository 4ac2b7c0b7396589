import { type ReactElement, useState, useSyncExternalStore } from 'react';
import { type Confirmation, currentConfirmation, onConfirmation } from '../api/confirmation.ts';
import { Modal } from '../features/palette/modal.tsx';
import { Button } from '../ui/controls/button.tsx';
import styles from './confirmation-dialog.module.css';

/** Asks for the code of a decision that needs one; the code is shown on the terminal of the engine, not here. */
export function ConfirmationDialog(): ReactElement | null {
  const confirmation = useSyncExternalStore(onConfirmation, currentConfirmation);
  return confirmation === undefined ? null : <CodeForm key={confirmation.message} confirmation={confirmation} />;
}

function CodeForm({ confirmation }: { confirmation: Confirmation }): ReactElement {
  const [code, setCode] = useState('');
  const cancel = () => confirmation.answer(undefined);
  return (
    <Modal label="Confirm this decision" onClose={cancel}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          confirmation.answer(code.trim() || undefined);
        }}
      >
        <p>{confirmation.message}.</p>
        <label>
          Code
          <input
            value={code}
            onChange={({ target }) => setCode(target.value)}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
        </label>
        <p className={styles.buttons}>
          <Button type="submit" weight="main">
            Confirm
          </Button>
          <Button weight="quiet" onClick={cancel}>
            Cancel
          </Button>
        </p>
      </form>
    </Modal>
  );
}
