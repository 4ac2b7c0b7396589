import { createContext, type ReactElement, useContext, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../text/icon.tsx';
import { isAlike } from './changes.ts';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { parseLines, valueText } from './parse-input.ts';

const LONG_ROWS = 6;
const MAX_ROWS = 24;

/** A text field, or a text area for long texts. */
export function TextControl(props: ControlProps<FieldOf<'text'>>): ReactElement {
  const { field, value, fallback, onChange } = props;
  const shown = typeof value === 'string' ? value : '';
  const common = {
    id: props.id,
    value: shown,
    placeholder: fallback === undefined ? undefined : valueText(fallback),
    'aria-label': props.label,
    'aria-describedby': props.describedBy,
    'aria-invalid': props.issues.has(props.path) || undefined,
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
  const rows = Math.min(MAX_ROWS, Math.max(LONG_ROWS, shown.split('\n').length + 1));
  return <textarea {...common} className={styles.area} rows={rows} onChange={(event) => take(event.target.value)} />;
}

const MIN_ROWS = 2;
const MAX = 12;

/** A list of short texts, one per line. */
export function LinesControl(props: ControlProps): ReactElement {
  const { value, fallback, onChange } = props;
  const [typed, setTyped] = useState('');
  const lines = Array.isArray(value) ? value.map(String) : [];
  const shown = isAlike(parseLines(typed), lines) ? typed : lines.join('\n');
  const take = (text: string) => {
    setTyped(text);
    const next = parseLines(text);
    onChange(next.length === 0 ? undefined : next);
  };
  const known = useSuggestions(props.path).filter((each) => !lines.includes(each));
  return (
    <>
      <textarea
        id={props.id}
        className={styles.area}
        rows={Math.min(MAX, Math.max(MIN_ROWS, shown.split('\n').length))}
        value={shown}
        placeholder={Array.isArray(fallback) && fallback.length > 0 ? fallback.join('\n') : 'one per line'}
        spellCheck={false}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.issues.has(props.path) || undefined}
        onChange={(event) => take(event.target.value)}
      />
      {known.length === 0 ? null : (
        <span className={styles.known}>
          {known.map((each) => (
            <Button key={each} weight="quiet" onClick={() => take([...lines, each].join('\n'))}>
              <Icon name="plus" size={12} />
              {each}
            </Button>
          ))}
        </span>
      )}
    </>
  );
}

/** Any other value as JSON; it is applied once it is valid. */
export function JsonControl(props: ControlProps): ReactElement {
  const [typed, setTyped] = useState('');
  const read = parsed(typed);
  const isTyped = typed !== '' && (read === undefined || isAlike(read.value, props.value));
  const shown = isTyped ? typed : props.value === undefined ? '' : JSON.stringify(props.value, undefined, 2);
  const take = (text: string) => {
    setTyped(text);
    const next = parsed(text);
    if (text.trim() === '') props.onChange(undefined);
    else if (next !== undefined) props.onChange(next.value);
  };
  return (
    <>
      <textarea
        id={props.id}
        className={styles.area}
        rows={4}
        value={shown}
        placeholder="JSON"
        spellCheck={false}
        aria-label={props.label}
        aria-describedby={props.describedBy}
        onChange={(event) => take(event.target.value)}
      />
      {isTyped && read === undefined ? <p className={styles.issue}>Invalid JSON.</p> : null}
    </>
  );
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Incomplete JSON is expected while typing; the field shows a message.
    return undefined;
  }
}

/** Suggested values by the path of a field; other values are allowed too. */
export type Suggestions = Readonly<Record<string, readonly string[]>>;

export const SuggestionsContext = createContext<Suggestions>({});

const NONE: readonly string[] = [];

function useSuggestions(path: string): readonly string[] {
  return useContext(SuggestionsContext)[path] ?? NONE;
}
