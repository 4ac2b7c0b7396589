import type { ReactElement } from 'react';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';

/** Yes or no; while nothing is chosen it shows what holds. */
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
