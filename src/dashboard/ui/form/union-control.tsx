import type { ReactElement } from 'react';
import { Control } from './control.tsx';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { blankOf, branchOf } from './sample.ts';

/** A value that may have one of several shapes: the shape is chosen, then the value asked for. */
export function UnionControl(props: ControlProps<FieldOf<'union'>>): ReactElement {
  const { id, field, value, onChange } = props;
  const chosen = branchOf(field.branches, value);
  const branch = field.branches[chosen];
  const choose = (index: number) => {
    const next = field.branches[index];
    onChange(next === undefined ? undefined : blankOf(next.field));
  };
  return (
    <div className={styles.rows}>
      <select
        id={id}
        className={styles.select}
        aria-label="Shape"
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
          onChange={(next) => onChange(next ?? blankOf(branch.field))}
        />
      )}
    </div>
  );
}
