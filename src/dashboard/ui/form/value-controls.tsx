import { type ReactElement, useState } from 'react';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { dateTimeText, durationText, parseDateTime, parseDuration, parseNumber, valueText } from './parse-input.ts';
import { rangeText } from './validate.ts';

/** A checkbox; it shows the fallback while no value is set. */
export function SwitchControl({ id, value, fallback, label, describedBy, onChange }: ControlProps): ReactElement {
  return (
    <input
      id={id}
      type="checkbox"
      className={styles.switch}
      checked={typeof value === 'boolean' ? value : fallback === true}
      aria-label={label}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

/** A select with an option for "not set" that names the fallback. */
export function ChoiceControl(props: ControlProps<FieldOf<'choice'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  return (
    <select
      id={props.id}
      className={styles.select}
      value={typeof value === 'string' ? value : ''}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.issues.has(props.path) || undefined}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{fallback === undefined ? 'not set' : `default: ${valueText(fallback)}`}</option>
      {field.options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** A number with its unit and range; invalid input stays in the field. */
export function NumberControl(props: ControlProps<FieldOf<'number'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  const [typed, setTyped] = useState('');
  const shown = parseNumber(typed) === value ? typed : value === undefined ? '' : String(value);
  const take = (text: string) => {
    setTyped(text);
    onChange(parseNumber(text));
  };
  return (
    <span className={styles.measured}>
      <input
        id={props.id}
        type="text"
        inputMode={field.isInteger ? 'numeric' : 'decimal'}
        autoComplete="off"
        className={styles.number}
        value={shown}
        placeholder={fallback === undefined ? undefined : valueText(fallback)}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.issues.has(props.path) || undefined}
        onChange={(event) => take(event.target.value)}
      />
      <span className="quiet">
        {[field.unit, rangeText(field.range).replace(/^ (of )?/, '')].filter((option) => option).join(', ')}
      </span>
    </span>
  );
}

/** A duration such as 90s, 10m, 1h30m or 2d. */
export function DurationControl(props: ControlProps): ReactElement {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  const take = (text: string) => {
    setTyped(text);
    onChange(parseDuration(text));
  };
  return (
    <input
      id={props.id}
      type="text"
      autoComplete="off"
      className={styles.number}
      value={parseDuration(typed) === value ? typed : durationText(value)}
      placeholder="10m"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.issues.has(props.path) || undefined}
      onChange={(event) => take(event.target.value)}
    />
  );
}

/** A date and time in the browser's time zone. */
export function DateTimeControl(props: ControlProps): ReactElement {
  return (
    <input
      id={props.id}
      type="datetime-local"
      className={styles.moment}
      value={dateTimeText(props.value)}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.issues.has(props.path) || undefined}
      onChange={(event) => props.onChange(parseDateTime(event.target.value))}
    />
  );
}
