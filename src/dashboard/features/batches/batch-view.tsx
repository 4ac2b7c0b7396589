import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import { entriesOf } from '../../ui/form/field.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import { BatchItemRow } from './batch-item.tsx';
import styles from './batches.module.css';

type Batch = OperationOutput<'list-batches'>['batches'][number];

/** The items of a batch, and how to start them. */
export function BatchView({ dir, batch }: { dir: string; batch: Batch }): ReactElement {
  const [values, setValues] = useState<Record<string, unknown>>({});
  const [, navigate] = useLocation();
  const start = useAction('start-batch', {
    done: `${batch.name} started`,
    onDone: ({ collection }) =>
      navigate(`/history?collection=${encodeURIComponent(collection)}&dir=${encodeURIComponent(dir)}`),
  });
  const remove = useAction('remove-batch', { done: 'Removed', changes: ['list-batches'] });
  return (
    <div className={styles.column}>
      <Panel
        title={`Start ${batch.name}`}
        actions={
          <Button weight="main" busy={start.isBusy} onClick={() => start.act(startRequest(dir, batch.name, values))}>
            Start {count(batch.items.length, 'job')}
          </Button>
        }
      >
        <EntryFields
          entries={START_ENTRIES}
          shown={['rehearse', 'parallel', 'from']}
          value={values}
          issues={new Map()}
          onChange={setValues}
        />
      </Panel>
      <Panel
        title={count(batch.items.length, 'item')}
        flush
        actions={
          <>
            <Copyable text={batch.file} />
            <ConfirmButton
              question="Remove this batch? Its runs stay."
              yes="Remove"
              busy={remove.isBusy}
              onConfirm={() => remove.act({ dir, name: batch.name })}
            >
              Remove batch
            </ConfirmButton>
          </>
        }
      >
        <ol className={styles.items}>
          {batch.items.map((item, index) => (
            // Items may have equal prompts.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <BatchItemRow key={`${index} ${item.prompt}`} dir={dir} batch={batch} index={index} />
          ))}
        </ol>
      </Panel>
    </div>
  );
}

type StartRequest = OperationInput<'start-batch'>;

const OWN = ['from', 'parallel', 'collection'];

/** The options for starting a batch. */
const START_ENTRIES = entriesOf({
  type: 'object',
  properties: {
    rehearse: {
      type: 'boolean',
      default: false,
      description: 'Run a scripted scenario instead of a model; free of charge.',
    },
    parallel: { type: 'integer', minimum: 1, maximum: 50, description: 'Parallel jobs; overrides the batch.' },
    from: { type: 'integer', minimum: 1, default: 1, description: 'The first item to start.' },
    collection: { type: 'string', description: 'The collection of its runs; the default is a new one.' },
    agents: {
      type: 'array',
      items: { type: 'string' },
      description: 'Agents: a name, role=name, or command:<program>.',
    },
    checks: { type: 'array', items: { type: 'string' }, description: 'Commands that must exit 0 on each result.' },
    budget: { type: 'number', exclusiveMinimum: 0, description: 'Maximum cost of a job in US dollars.' },
  },
});

/** The request that starts a batch; the server validates it, so its type is only assumed here. */
function startRequest(dir: string, name: string, values: Record<string, unknown>): StartRequest {
  const entries = Object.entries(values);
  const own = Object.fromEntries(entries.filter(([key]) => OWN.includes(key)));
  const options = Object.fromEntries(entries.filter(([key]) => !OWN.includes(key)));
  return { dir, name, ...own, options } as StartRequest;
}
