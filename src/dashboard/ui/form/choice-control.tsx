import type { ReactElement } from 'react';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { valueText } from './typed.ts';

/** One of a few words, or nothing: then what holds is named. */
export function ChoiceControl(props: ControlProps<FieldOf<'choice'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  return (
    <select
      id={props.id}
      className={styles.select}
      value={typeof value === 'string' ? value : ''}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.mistakes.has(props.path) || undefined}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{fallback === undefined ? 'not set' : `default: ${valueText(fallback)}`}</option>
      {field.options.map((word) => (
        <option key={word} value={word}>
          {word}
        </option>
      ))}
    </select>
  );
}
