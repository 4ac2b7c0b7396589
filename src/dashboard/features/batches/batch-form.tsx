import { type FormEvent, type ReactElement, useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import choice from '../../ui/controls/controls.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import styles from './batches.module.css';

type BatchFormProps = { dir: string; name?: string | undefined; onDone(name: string): void };

/** Creates a batch, or adds to one: one prompt for each paragraph. */
export function BatchForm({ dir, name: known, onDone }: BatchFormProps): ReactElement {
  const [name, setName] = useState(known ?? '');
  const [text, setText] = useState('');
  const add = useAction('add-to-batch', {
    done: 'Saved',
    changes: ['list-batches'],
    onDone: ({ name: saved }) => {
      setText('');
      onDone(saved);
    },
  });
  const items = text
    .split(/\n\s*\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (items.length > 0 && name.trim() !== '') add.act({ dir, name: name.trim(), items });
  };
  return (
    <Panel title={known === undefined ? 'New batch' : `Add to ${known}`}>
      <form className={styles.form} onSubmit={submit}>
        {known === undefined ? (
          <label>
            Name
            <input
              className={choice.input}
              value={name}
              placeholder="nightly"
              maxLength={60}
              onChange={({ target }) => setName(target.value)}
            />
          </label>
        ) : null}
        <label>
          Prompts, with an empty line between two
          <textarea
            rows={4}
            value={text}
            placeholder={'Update the changelog\n\nCheck the links'}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <Button
          type="submit"
          weight={known === undefined ? 'main' : 'plain'}
          busy={add.isBusy}
          disabled={items.length === 0 || name.trim() === ''}
        >
          {known === undefined ? 'Create' : 'Add'} {items.length === 0 ? '' : count(items.length, 'prompt')}
        </Button>
      </form>
    </Panel>
  );
}
