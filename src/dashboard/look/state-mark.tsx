import type { ReactElement } from 'react';
import { StateDrawing } from './icon.tsx';
import { type Look, WORDS } from './state.ts';
import styles from './state-mark.module.css';

type StateMarkProps = { look: Look /** Only the drawing is shown; the word is still read out. */; bare?: boolean };

/** A state: its drawing in its colour, and its word. */
export function StateMark({ look, bare = false }: StateMarkProps): ReactElement {
  return (
    <span className={styles.mark} data-look={look} title={bare ? WORDS[look] : undefined}>
      <StateDrawing look={look} />
      <span className={bare ? 'hidden-words' : undefined}>{WORDS[look]}</span>
    </span>
  );
}
