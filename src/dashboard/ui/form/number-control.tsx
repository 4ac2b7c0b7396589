import { type ReactElement, useState } from 'react';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { rangeText } from './mistake.ts';
import { readNumber, valueText } from './typed.ts';

/** A number with its unit and its bounds; what is typed stays even while it is no number. */
export function NumberControl(props: ControlProps<FieldOf<'number'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  const [typed, setTyped] = useState('');
  const shown = readNumber(typed) === value ? typed : value === undefined ? '' : String(value);
  const take = (text: string) => {
    setTyped(text);
    onChange(readNumber(text));
  };
  return (
    <span className={styles.measured}>
      <input
        id={props.id}
        type="text"
        inputMode={field.isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        className={styles.number}
        value={shown}
        placeholder={fallback === undefined ? undefined : valueText(fallback)}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.mistakes.has(props.path) || undefined}
        onChange={(event) => take(event.target.value)}
      />
      <span className="quiet">
        {[field.unit, rangeText(field.range).replace(/^ (of )?/, '')].filter((word) => word).join(', ')}
      </span>
    </span>
  );
}
