import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { OperationOutput } from '../../../operations/contracts.ts';
import { useAction } from '../../api/use-operation.ts';
import { count } from '../../ui/amounts.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import { Panel } from '../../ui/panel.tsx';
import { START_ENTRIES, startingOf } from './batch-start.ts';
import styles from './batches.module.css';

type Batch = OperationOutput<'list-batches'>['batches'][number];

/** The items of a batch, and how to start them. */
export function BatchView({ dir, batch }: { dir: string; batch: Batch }): ReactElement {
  const [values, setValues] = useState<Record<string, unknown>>({});
  const [, navigate] = useLocation();
  const start = useAction('start-batch', {
    done: `${batch.name} was started`,
    onDone: ({ collection }) =>
      navigate(`/history?collection=${encodeURIComponent(collection)}&dir=${encodeURIComponent(dir)}`),
  });
  return (
    <div className={styles.column}>
      <Panel
        title={`Start ${batch.name}`}
        actions={
          <Button weight="main" busy={start.isBusy} onClick={() => start.act(startingOf(dir, batch.name, values))}>
            Start {count(batch.items.length, 'job')}
          </Button>
        }
      >
        <EntryFields
          entries={START_ENTRIES}
          shown={['rehearse', 'parallel', 'from']}
          value={values}
          mistakes={new Map()}
          onChange={setValues}
        />
      </Panel>
      <Panel title={count(batch.items.length, 'item')} flush actions={<Copyable text={batch.file} />}>
        <ol className={styles.items}>
          {batch.items.map(({ prompt, title, template }, index) => (
            // An item is what stands at its number.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <li key={index}>
              <span className="quiet numbers">{index + 1}</span>
              <span className={styles.prompt}>
                {title === null ? null : <strong>{title} </strong>}
                {prompt}
              </span>
              {(template ?? batch.template) === null ? null : (
                <Link href={`/templates?name=${template ?? batch.template}`} className="quiet">
                  {template ?? batch.template}
                </Link>
              )}
            </li>
          ))}
        </ol>
      </Panel>
    </div>
  );
}
