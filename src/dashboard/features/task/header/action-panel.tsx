import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './task-header.module.css';

/** Unfolds below the button that asked for it; Esc closes it. */
export function ActionPanel(props: { title: string; close(): void; children: ReactNode }): ReactElement {
  const { title, close, children } = props;
  const panel = useRef<HTMLElement>(null);
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
