import type { ReactElement } from 'react';
import styles from './controls.module.css';

type TabsProps<T extends string> = {
  label: string;
  options: readonly { value: T; title: string }[];
  value: T;
  onChoose(value: T): void;
};

/** A row of options, one of which is selected. */
export function Tabs<T extends string>({ label, options, value, onChoose }: TabsProps<T>): ReactElement {
  return (
    <fieldset className={styles.tabs} aria-label={label} style={{ border: 0, margin: 0 }}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={styles.tab}
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.title}
        </button>
      ))}
    </fieldset>
  );
}
