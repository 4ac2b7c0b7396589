import type { ReactElement } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { colorOf, type Look } from '../../../ui/state.ts';
import styles from './legend.module.css';
import type { SpanView } from './use-span.ts';

const ENTRIES: readonly { kind: string; look: Look; words: string }[] = [
  { kind: 'attempt', look: 'done', words: 'attempt that handed work over' },
  { kind: 'attempt', look: 'failed', words: 'failed' },
  { kind: 'attempt', look: 'running', words: 'at work' },
  { kind: 'wait', look: 'queued', words: 'wait' },
  { kind: 'checks', look: 'checking', words: 'checks and landing' },
  { kind: 'held', look: 'waiting', words: 'waits for you' },
];

/** What the bars mean, and how much of the time is in sight. */
export function Legend({ view }: { view: SpanView }): ReactElement {
  return (
    <div className={styles.bar}>
      <ul className={styles.legend} aria-label="What the bars mean">
        {ENTRIES.map(({ kind, look, words }) => (
          <li key={words}>
            <span className={styles.sample} data-kind={kind} style={{ color: colorOf(look) }} />
            {words}
          </li>
        ))}
      </ul>
      <span className={styles.buttons}>
        <Button weight="quiet" aria-label="Zoom out" title="Zoom out (-)" onClick={() => view.zoom(1.5)}>
          <Icon name="minus" size={14} />
        </Button>
        <Button weight="quiet" aria-label="Zoom in" title="Zoom in (+)" onClick={() => view.zoom(1 / 1.5)}>
          <Icon name="plus" size={14} />
        </Button>
        <Button weight="quiet" disabled={view.isWhole} title="Show all of it (0)" onClick={view.fit}>
          <Icon name="wide" size={14} /> Fit
        </Button>
      </span>
    </div>
  );
}
