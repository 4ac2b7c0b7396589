import { type ReactElement, type ReactNode, useId } from 'react';
import { Control } from './control.tsx';
import type { Entry, Field } from './field.ts';
import styles from './form.module.css';
import { isLines, issueAt, type ValidationIssues } from './validate.ts';

/** What a control is given: the value, where it stands in the form, and what holds if there is none. */
export type ControlProps<F extends Field = Field> = {
  id: string;
  field: F;
  value: unknown;
  fallback: unknown;
  path: string;
  issues: ValidationIssues;
  describedBy: string | undefined;
  /** Its name, where no label stands beside it. */
  label?: string;
  onChange(value: unknown): void;
};

type FormFieldProps = {
  entry: Entry;
  value: unknown;
  fallback?: unknown;
  path: string;
  issues: ValidationIssues;
  /** What stands beside the name, such as where the value comes from. */
  aside?: ReactNode;
  onChange(value: unknown): void;
};

/** One field of a form: its name, its control, what it is about and what is wrong with it. */
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
        <p id={`${id}-mistake`} className={styles.mistake} role="alert">
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
          {entry.isRequired ? <span className={styles.needed}> needed</span> : null}
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
