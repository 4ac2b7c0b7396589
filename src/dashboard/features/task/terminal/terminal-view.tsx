import { type ReactElement, useRef } from 'react';
import '@xterm/xterm/css/xterm.css';
import styles from './terminal.module.css';
import { type Part, useTerminal } from './use-terminal.ts';

const WORDS: Record<Part, string> = {
  typing: 'What you type goes to the agent.',
  watching: 'You may look; typing needs the right to act.',
  over: 'The program has ended; this is its last screen.',
};

/** The terminal of an interactive agent; it goes on without this page, and shows the same again after a reload. */
export function TerminalView({ run, task }: { run: string; task: string }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const { part, standing } = useTerminal({ run, task }, place);
  return (
    <section className={styles.view} aria-label="Terminal">
      <div className={styles.frame}>
        <div ref={place} className={styles.screen} />
      </div>
      <p className={styles.standing} role="status">
        {standing === 'lost' ? 'Not connected; it is being tried again. ' : ''}
        {WORDS[part]}
      </p>
    </section>
  );
}
