import { type ReactElement, type ReactNode, useId } from 'react';
import { Control } from './control.tsx';
import type { Entry, Field } from './field.ts';
import styles from './form.module.css';
import { isLines, issueAt, type ValidationIssues } from './validate.ts';

/** The props of every control; `fallback` is the value in effect while none is set. */
export type ControlProps<F extends Field = Field> = {
  id: string;
  field: F;
  value: unknown;
  fallback: unknown;
  path: string;
  issues: ValidationIssues;
  describedBy: string | undefined;
  /** The accessible name, if there is no visible label. */
  label?: string;
  onChange(value: unknown): void;
};

type FormFieldProps = {
  entry: Entry;
  value: unknown;
  fallback?: unknown;
  path: string;
  issues: ValidationIssues;
  /** Shown beside the name, such as the origin of the value. */
  aside?: ReactNode;
  onChange(value: unknown): void;
};

/** One field of a form: name, control, description and validation issue. */
export function FormField(props: FormFieldProps): ReactElement {
  const { entry, path, issues, aside } = props;
  const id = useId();
  const { field } = entry;
  const isFieldset = field.kind === 'group' || field.kind === 'map' || field.kind === 'union' || isRows(field);
  const issue = issueAt(issues, path, isLines(field));
  const describedBy = [entry.about === '' ? '' : `${id}-about`, issue === undefined ? '' : `${id}-mistake`]
    .join(' ')
    .trim();
  const control = (
    <Control
      id={id}
      field={field}
      value={props.value}
      fallback={props.fallback ?? entry.fallback}
      path={path}
      issues={issues}
      describedBy={describedBy === '' ? undefined : describedBy}
      onChange={props.onChange}
    />
  );
  const notes = (
    <>
      {entry.about === '' ? null : (
        <p id={`${id}-about`} className={styles.about}>
          {entry.about}
        </p>
      )}
      {issue === undefined ? null : (
        <p id={`${id}-mistake`} className={styles.issue} role="alert">
          {issue}
        </p>
      )}
    </>
  );
  if (isFieldset)
    return (
      <fieldset className={styles.group} data-path={path} aria-describedby={describedBy || undefined}>
        <legend className={styles.name}>
          {entry.title} {aside}
        </legend>
        {notes}
        {control}
      </fieldset>
    );
  return (
    <div className={styles.field} data-path={path} data-kind={field.kind}>
      <div className={styles.head}>
        <label htmlFor={id} className={styles.name}>
          {entry.title}
          {entry.isRequired ? <span className={styles.needed}> required</span> : null}
        </label>
        {aside}
      </div>
      {control}
      {notes}
    </div>
  );
}

function isRows(field: Field): boolean {
  return field.kind === 'list' && !isLines(field);
}
