import { type ReactElement, useState } from 'react';
import { withKey } from './change.ts';
import type { Entry, FieldOf } from './field.ts';
import styles from './form.module.css';
import { type ControlProps, FormField } from './form-field.tsx';
import { pathTo } from './mistake.ts';
import { isSchema } from './schema.ts';

const FEW = 5;

/** Several named fields that belong together; of many, those that are needed or set come first and the rest is folded. */
export function GroupControl(props: ControlProps<FieldOf<'group'>>): ReactElement {
  const values = isSchema(props.value) ? props.value : {};
  const fallbacks = isSchema(props.fallback) ? props.fallback : {};
  const { entries } = props.field;
  const [first] = useState(
    () => new Set(entries.filter((entry) => isFirst(entry, entries, values)).map(({ key }) => key)),
  );
  const rest = entries.filter(({ key }) => !first.has(key));
  const field = (entry: Entry) => (
    <FormField
      key={entry.key}
      entry={entry}
      value={values[entry.key]}
      fallback={fallbacks[entry.key]}
      path={pathTo(props.path, entry.key)}
      mistakes={props.mistakes}
      onChange={(next) => props.onChange(withKey(values, entry.key, next))}
    />
  );
  return (
    <div className={styles.fields}>
      {entries.filter(({ key }) => first.has(key)).map(field)}
      {rest.length === 0 ? null : (
        <details className={styles.more}>
          <summary>
            More options <span className="quiet numbers">{rest.length}</span>
          </summary>
          <div className={styles.fields}>{rest.map(field)}</div>
        </details>
      )}
    </div>
  );
}

function isFirst({ key, isNeeded }: Entry, all: readonly Entry[], values: Readonly<Record<string, unknown>>): boolean {
  return all.length <= FEW || isNeeded || values[key] !== undefined;
}
