import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../text/icon.tsx';
import { blankValue } from './blank-value.ts';
import { withKey } from './changes.ts';
import { Control } from './control.tsx';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { isSchema } from './json-schema.ts';
import { pathTo } from './validate.ts';

/** Values under keys that the user enters. */
export function MapControl(props: ControlProps<FieldOf<'map'>>): ReactElement {
  const { id, field, value, path, issues, onChange } = props;
  const values = isSchema(value) ? value : {};
  return (
    <div className={styles.rows}>
      {Object.entries(values).map(([key, held]) => (
        <div key={key} className={styles.row} data-path={pathTo(path, key)}>
          <code className={styles.key}>{key}</code>
          <fieldset className={styles.grow} aria-label={key}>
            <Control
              id={`${id}-${key}`}
              field={field.item}
              value={held}
              fallback={undefined}
              path={pathTo(path, key)}
              issues={issues}
              describedBy={undefined}
              label={key}
              onChange={(next) => onChange(withKey(values, key, next ?? blankValue(field.item)))}
            />
            {issues.has(pathTo(path, key)) ? <p className={styles.issue}>{issues.get(pathTo(path, key))}</p> : null}
          </fieldset>
          <Button weight="quiet" aria-label={`Remove ${key}`} onClick={() => onChange(withKey(values, key, undefined))}>
            <Icon name="close" size={12} />
          </Button>
        </div>
      ))}
      <NewKey
        id={`${id}-new`}
        names={field.names}
        usedNames={Object.keys(values)}
        onAdd={(name) => onChange(withKey(values, name, blankValue(field.item)))}
      />
    </div>
  );
}

type NewKeyProps = { id: string; names: readonly string[]; usedNames: readonly string[]; onAdd(name: string): void };

function NewKey({ id, names, usedNames, onAdd }: NewKeyProps): ReactElement {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() === '' || usedNames.includes(name.trim())) return;
    onAdd(name.trim());
    setName('');
  };
  return (
    <div className={styles.row}>
      <input
        id={id}
        type="text"
        className={styles.number}
        list={names.length === 0 ? undefined : `${id}-names`}
        value={name}
        placeholder="Name"
        aria-label="New key"
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      {names.length === 0 ? null : (
        <datalist id={`${id}-names`}>
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <Button onClick={add} disabled={name.trim() === '' || usedNames.includes(name.trim())}>
        <Icon name="plus" size={12} />
        Add
      </Button>
    </div>
  );
}
