import type { ReactElement } from 'react';
import { StateDrawing } from './icon.tsx';
import { type Look, WORDS } from './state.ts';
import styles from './state-mark.module.css';

type StateMarkProps = {
  look: Look;
  /** Only the drawing is shown; the word is still read out. */
  bare?: boolean;
  /** Another word, where the usual one says too much. */
  word?: string;
};

/** A state: its drawing in its colour, and its word. */
export function StateMark({ look, bare = false, word = WORDS[look] }: StateMarkProps): ReactElement {
  return (
    <span className={styles.mark} data-look={look} title={bare ? word : undefined}>
      <StateDrawing look={look} />
      <span className={bare ? 'hidden-words' : undefined}>{word}</span>
    </span>
  );
}
