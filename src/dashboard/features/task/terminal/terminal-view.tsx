import { type ReactElement, useRef } from 'react';
import '@xterm/xterm/css/xterm.css';
import styles from './terminal.module.css';
import { LEAVING_KEY, type TerminalMode, useTerminal } from './use-terminal.ts';

const MODE_TEXT: Record<TerminalMode, string> = {
  typing: 'Your input goes to the agent.',
  watching: 'Read only. Log in with an operator token to type.',
  over: 'The program has ended. This is its last screen.',
};

/** The terminal of an interactive agent; it keeps running without this page, and a reload shows it again. */
export function TerminalView({ run, task }: { run: string; task: string }): ReactElement {
  const container = useRef<HTMLDivElement>(null);
  const { mode, connectionState } = useTerminal({ run, task }, container, focusTab);
  return (
    <section className={styles.view} aria-label="Terminal">
      <div className={styles.frame}>
        <div ref={container} className={styles.screen} data-takes-keys />
      </div>
      <p className={styles.connection} role="status">
        {connectionState === 'lost' ? 'Not connected; reconnecting. ' : ''}
        {MODE_TEXT[mode]} {LEAVING_KEY} leaves the terminal.
      </p>
    </section>
  );
}

function focusTab(): void {
  document.getElementById('tab-terminal')?.focus();
}
