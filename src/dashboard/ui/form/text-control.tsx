import type { ReactElement } from 'react';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { useSuggestions } from './suggestions.ts';
import { valueText } from './typed.ts';

const LONG_ROWS = 6;
const MOST_ROWS = 24;

/** A text: one line, or as many as it takes. */
export function TextControl(props: ControlProps<FieldOf<'text'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  const shown = typeof value === 'string' ? value : '';
  const common = {
    id: props.id,
    value: shown,
    placeholder: fallback === undefined ? undefined : valueText(fallback),
    'aria-label': props.label,
    'aria-describedby': props.describedBy,
    'aria-invalid': props.mistakes.has(props.path) || undefined,
    spellCheck: field.isLong,
  };
  const take = (text: string) => onChange(text === '' ? undefined : text);
  const list = useSuggestions(props.path);
  if (!field.isLong)
    return (
      <>
        <input
          type="text"
          {...common}
          className={styles.input}
          list={list.length === 0 ? undefined : `${props.id}-known`}
          onChange={(event) => take(event.target.value)}
        />
        {list.length === 0 ? null : (
          <datalist id={`${props.id}-known`}>
            {list.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        )}
      </>
    );
  const rows = Math.min(MOST_ROWS, Math.max(LONG_ROWS, shown.split('\n').length + 1));
  return <textarea {...common} className={styles.area} rows={rows} onChange={(event) => take(event.target.value)} />;
}
