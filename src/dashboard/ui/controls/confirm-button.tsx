import { type ReactElement, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm-button.module.css';

type ConfirmButtonProps = {
  children: ReactNode;
  /** The confirmation question. */
  question: string;
  yes: string;
  busy?: boolean;
  onConfirm(): void;
};

/** A button that is replaced by a confirmation question; Escape cancels, a key that is held down confirms nothing, and the focus returns. */
export function ConfirmButton({ children, question, yes, busy = false, onConfirm }: ConfirmButtonProps): ReactElement {
  const [isConfirming, setConfirming] = useState<boolean>();
  if (isConfirming !== true) {
    return (
      <Button busy={busy} autoFocus={isConfirming === false} onClick={() => setConfirming(true)}>
        {children}
      </Button>
    );
  }
  const confirm = () => {
    setConfirming(false);
    onConfirm();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape works anywhere inside
    <span className={styles.question} onKeyDown={({ key }) => (key === 'Escape' ? setConfirming(false) : undefined)}>
      <span role="status">{question}</span>
      <Button weight="danger" onClick={confirm}>
        {yes}
      </Button>
      <Button weight="quiet" autoFocus onClick={() => setConfirming(false)}>
        No
      </Button>
    </span>
  );
}
