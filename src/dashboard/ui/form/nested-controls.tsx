import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../text/icon.tsx';
import { blankValue, branchOf } from './blank-value.ts';
import { withKey } from './changes.ts';
import { Control } from './control.tsx';
import type { Entry, FieldOf } from './field.ts';
import styles from './form.module.css';
import { type ControlProps, FormField } from './form-field.tsx';
import { isSchema } from './json-schema.ts';
import { pathTo } from './validate.ts';

/** A list of values that can be added and removed. */
export function ListControl(props: ControlProps<FieldOf<'list'>>): ReactElement {
  const { id, field, value, path, issues, onChange } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <div className={styles.rows}>
      {items.map((item, index) => {
        const at = pathTo(path, index);
        return (
          // A row is identified by its index.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={index} className={styles.row} data-path={at}>
            <fieldset className={styles.grow} aria-label={`Item ${index + 1}`}>
              <Control
                id={`${id}-${index}`}
                field={field.item}
                value={item}
                fallback={undefined}
                path={at}
                issues={issues}
                describedBy={undefined}
                label={`Item ${index + 1}`}
                onChange={(next) =>
                  put(items.map((each, position) => (position === index ? (next ?? blankValue(field.item)) : each)))
                }
              />
              {issues.has(at) ? <p className={styles.issue}>{issues.get(at)}</p> : null}
            </fieldset>
            <Button
              weight="quiet"
              aria-label={`Remove item ${index + 1}`}
              onClick={() => put(items.toSpliced(index, 1))}
            >
              <Icon name="close" size={12} />
            </Button>
          </div>
        );
      })}
      <div>
        <Button onClick={() => put([...items, blankValue(field.item)])}>
          <Icon name="plus" size={12} />
          Add
        </Button>
      </div>
    </div>
  );
}

const MAX_ALWAYS_SHOWN = 5;

/** A group of named fields; in a large group those that are neither required nor set are collapsed. */
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
      issues={props.issues}
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

function isFirst(
  { key, isRequired }: Entry,
  all: readonly Entry[],
  values: Readonly<Record<string, unknown>>,
): boolean {
  return all.length <= MAX_ALWAYS_SHOWN || isRequired || values[key] !== undefined;
}

/** A value with alternative types: a select for the type, then the control of that type. */
export function UnionControl(props: ControlProps<FieldOf<'union'>>): ReactElement {
  const { id, field, value, onChange } = props;
  const chosen = branchOf(field.branches, value);
  const branch = field.branches[chosen];
  const choose = (index: number) => {
    const next = field.branches[index];
    onChange(next === undefined ? undefined : blankValue(next.field));
  };
  return (
    <div className={styles.rows}>
      <select
        id={id}
        className={styles.select}
        aria-label="Type"
        value={chosen}
        onChange={(event) => choose(Number(event.target.value))}
      >
        <option value={-1}>not set</option>
        {field.branches.map(({ label }, index) => (
          <option key={label} value={index}>
            {label}
          </option>
        ))}
      </select>
      {branch === undefined ? null : (
        <Control
          {...props}
          id={`${id}-value`}
          field={branch.field}
          onChange={(next) => onChange(next ?? blankValue(branch.field))}
        />
      )}
    </div>
  );
}
