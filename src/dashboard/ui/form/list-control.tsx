import type { ReactElement } from 'react';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { Control } from './control.tsx';
import type { FieldOf } from './field.ts';
import styles from './form.module.css';
import type { ControlProps } from './form-field.tsx';
import { pathTo } from './mistake.ts';
import { blankOf } from './sample.ts';

/** Several values of any kind, each of which can be taken away. */
export function ListControl(props: ControlProps<FieldOf<'list'>>): ReactElement {
  const { id, field, value, path, mistakes, onChange } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <div className={styles.rows}>
      {items.map((item, index) => {
        const at = pathTo(path, index);
        return (
          // A row is what stands at its place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={index} className={styles.row} data-path={at}>
            <fieldset className={styles.grow} aria-label={`Number ${index + 1}`}>
              <Control
                id={`${id}-${index}`}
                field={field.item}
                value={item}
                fallback={undefined}
                path={at}
                mistakes={mistakes}
                describedBy={undefined}
                label={`Number ${index + 1}`}
                onChange={(next) =>
                  put(items.map((each, place) => (place === index ? (next ?? blankOf(field.item)) : each)))
                }
              />
              {mistakes.has(at) ? <p className={styles.mistake}>{mistakes.get(at)}</p> : null}
            </fieldset>
            <Button
              weight="quiet"
              aria-label={`Remove number ${index + 1}`}
              onClick={() => put(items.toSpliced(index, 1))}
            >
              <Icon name="close" size={12} />
            </Button>
          </div>
        );
      })}
      <div>
        <Button onClick={() => put([...items, blankOf(field.item)])}>
          <Icon name="plus" size={12} />
          Add
        </Button>
      </div>
    </div>
  );
}
