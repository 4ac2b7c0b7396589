import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './palette.module.css';

type ModalProps = { label: string; onClose(): void; children: ReactNode };

/** A modal dialog: Esc or a click beside it closes it, and the focus returns. */
export function Modal({ label, onClose, children }: ModalProps): ReactElement {
  const sheet = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    sheet.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={sheet}
      className={styles.sheet}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === sheet.current) onClose();
      }}
      onKeyDown={(event) => {
        // Closed by Esc, it has the focus until its event `close` is handled; a key pressed then belongs to the page.
        if (sheet.current?.open === true) event.stopPropagation();
      }}
    >
      {children}
    </dialog>
  );
}
