import { type ReactElement, useRef } from 'react';
import '@xterm/xterm/css/xterm.css';
import styles from './terminal.module.css';
import { type TerminalMode, useTerminal } from './use-terminal.ts';

const MODE_TEXT: Record<TerminalMode, string> = {
  typing: 'Your input goes to the agent.',
  watching: 'Read only. Log in with an operator token to type.',
  over: 'The program has ended. This is its last screen.',
};

/** The terminal of an interactive agent; it keeps running without this page, and a reload shows it again. */
export function TerminalView({ run, task }: { run: string; task: string }): ReactElement {
  const container = useRef<HTMLDivElement>(null);
  const { mode, connectionState } = useTerminal({ run, task }, container);
  return (
    <section className={styles.view} aria-label="Terminal">
      <div className={styles.frame}>
        <div ref={container} className={styles.screen} />
      </div>
      <p className={styles.connection} role="status">
        {connectionState === 'lost' ? 'Not connected; reconnecting. ' : ''}
        {MODE_TEXT[mode]}
      </p>
    </section>
  );
}
