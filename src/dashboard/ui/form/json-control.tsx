import { type ReactElement, useState } from 'react';
import { isAlike } from './change.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';

/** Anything else, as JSON; it is taken once it can be read. */
export function JsonControl(props: ControlProps): ReactElement {
  const [typed, setTyped] = useState('');
  const read = parsed(typed);
  const isTyped = typed !== '' && (read === undefined || isAlike(read.value, props.value));
  const shown = isTyped ? typed : props.value === undefined ? '' : JSON.stringify(props.value, undefined, 2);
  const take = (text: string) => {
    setTyped(text);
    const next = parsed(text);
    if (text.trim() === '') props.onChange(undefined);
    else if (next !== undefined) props.onChange(next.value);
  };
  return (
    <>
      <textarea
        id={props.id}
        className={styles.area}
        rows={4}
        value={shown}
        placeholder="JSON"
        spellCheck={false}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        onChange={(event) => take(event.target.value)}
      />
      {isTyped && read === undefined ? <p className={styles.mistake}>This is no JSON yet.</p> : null}
    </>
  );
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // What is still being typed is no JSON; the field says so.
    return undefined;
  }
}
