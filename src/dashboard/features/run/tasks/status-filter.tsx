import type { ReactElement } from 'react';
import { type Look, URGENCY, WORDS } from '../../../ui/state.ts';
import styles from './status-filter.module.css';

type StatusFilterProps = {
  counts: ReadonlyMap<Look, number>;
  total: number;
  chosen: Look | null;
  text: string;
  onLook(look: Look | null): void;
  onText(text: string): void;
};

/** Chooses tasks by their state and by words. */
export function StatusFilter({ counts, total, chosen, text, onLook, onText }: StatusFilterProps): ReactElement {
  return (
    <div className={styles.filter}>
      <input
        type="search"
        className={styles.text}
        placeholder="Filter tasks"
        aria-label="Filter tasks by words"
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
      <fieldset className={styles.looks} aria-label="By state">
        <Choice isChosen={chosen === null} count={total} onChoose={() => onLook(null)}>
          All
        </Choice>
        {URGENCY.filter((look) => counts.has(look) || look === chosen).map((look) => (
          <Choice
            key={look}
            isChosen={chosen === look}
            count={counts.get(look) ?? 0}
            onChoose={() => onLook(chosen === look ? null : look)}
          >
            {WORDS[look]}
          </Choice>
        ))}
      </fieldset>
    </div>
  );
}

type ChoiceProps = { isChosen: boolean; count: number; onChoose(): void; children: string };

function Choice({ isChosen, count, onChoose, children }: ChoiceProps): ReactElement {
  return (
    <button type="button" className={styles.look} aria-pressed={isChosen} onClick={onChoose}>
      {children} <span className="numbers">{count.toLocaleString('en-US')}</span>
    </button>
  );
}
