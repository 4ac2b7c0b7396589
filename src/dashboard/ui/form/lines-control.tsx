import { type ReactElement, useState } from 'react';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { isAlike } from './change.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { useSuggestions } from './suggestions.ts';
import { linesOf } from './typed.ts';

const FEWEST = 2;
const MOST = 12;

/** Several short texts, a line each. */
export function LinesControl(props: ControlProps): ReactElement {
  const { value, fallback, onChange } = props;
  const [typed, setTyped] = useState('');
  const lines = Array.isArray(value) ? value.map(String) : [];
  const shown = isAlike(linesOf(typed), lines) ? typed : lines.join('\n');
  const take = (text: string) => {
    setTyped(text);
    const next = linesOf(text);
    onChange(next.length === 0 ? undefined : next);
  };
  const known = useSuggestions(props.path).filter((each) => !lines.includes(each));
  return (
    <>
      <textarea
        id={props.id}
        className={styles.area}
        rows={Math.min(MOST, Math.max(FEWEST, shown.split('\n').length))}
        value={shown}
        placeholder={Array.isArray(fallback) && fallback.length > 0 ? fallback.join('\n') : 'one per line'}
        spellCheck={false}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.mistakes.has(props.path) || undefined}
        onChange={(event) => take(event.target.value)}
      />
      {known.length === 0 ? null : (
        <span className={styles.known}>
          {known.map((each) => (
            <Button key={each} weight="quiet" onClick={() => take([...lines, each].join('\n'))}>
              <Icon name="plus" size={12} />
              {each}
            </Button>
          ))}
        </span>
      )}
    </>
  );
}
