import type { ReactElement } from 'react';
import { withKey } from './changes.ts';
import type { Entry } from './field.ts';
import styles from './form.module.css';
import { FormField } from './form-field.tsx';
import { isSchema } from './json-schema.ts';
import type { ValidationIssues } from './validate.ts';

type EntryFieldsProps = {
  entries: readonly Entry[];
  /** Keys of the entries that are always visible; the others are collapsed. */
  shown: readonly string[];
  value: unknown;
  issues: ValidationIssues;
  onChange(value: Record<string, unknown>): void;
};

/** The fields of a form: required and selected ones are visible, the others are collapsed behind a count of those that are set. */
export function EntryFields({ entries, shown, value, issues, onChange }: EntryFieldsProps): ReactElement {
  const values = isSchema(value) ? value : {};
  const first = entries.filter(({ key, isRequired }) => isRequired || shown.includes(key));
  const rest = entries.filter((entry) => !first.includes(entry));
  const set = rest.filter(({ key }) => values[key] !== undefined).length;
  const hasIssue = [...issues.keys()].some((path) =>
    rest.some(({ key }) => path === key || path.startsWith(`${key}.`)),
  );
  const fields = (some: readonly Entry[]) =>
    some.map((entry) => (
      <FormField
        key={entry.key}
        entry={entry}
        value={values[entry.key]}
        path={entry.key}
        issues={issues}
        onChange={(next) => onChange(withKey(values, entry.key, next) ?? {})}
      />
    ));
  return (
    <div className={styles.fields}>
      {fields(first)}
      {rest.length === 0 ? null : (
        <details className={styles.more} open={hasIssue || undefined}>
          <summary>
            More options{' '}
            <span className="quiet numbers">{set === 0 ? rest.length : `${set} of ${rest.length} set`}</span>
          </summary>
          <div className={styles.fields}>{fields(rest)}</div>
        </details>
      )}
    </div>
  );
}
