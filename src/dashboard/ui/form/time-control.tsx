import { type ReactElement, useState } from 'react';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { momentText, readMoment, readSpan, spanText } from './typed.ts';

/** How long: 90s, 10m, 1h30m, 2d. */
export function SpanControl(props: ControlProps): ReactElement {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  const take = (text: string) => {
    setTyped(text);
    onChange(readSpan(text));
  };
  return (
    <input
      id={props.id}
      type="text"
      autoComplete="off"
      className={styles.number}
      value={readSpan(typed) === value ? typed : spanText(value)}
      placeholder="10m"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.mistakes.has(props.path) || undefined}
      onChange={(event) => take(event.target.value)}
    />
  );
}

/** When: a date and a time of day, where the browser is. */
export function MomentControl(props: ControlProps): ReactElement {
  return (
    <input
      id={props.id}
      type="datetime-local"
      className={styles.moment}
      value={momentText(props.value)}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.mistakes.has(props.path) || undefined}
      onChange={(event) => props.onChange(readMoment(event.target.value))}
    />
  );
}
