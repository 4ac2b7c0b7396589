import { type FormEvent, type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { MAY_ACT } from '../../api/role.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import controls from '../../ui/controls/controls.module.css';
import styles from './batches.module.css';

type Batch = OperationOutput<'list-batches'>['batches'][number];
type Change = OperationInput<'edit-batch'>['change'];
type BatchItemProps = { dir: string; batch: Batch; index: number };

/** An item of a batch, which can be changed, moved and removed. */
export function BatchItemRow({ dir, batch, index }: BatchItemProps): ReactElement | null {
  const [isEdited, setEdited] = useState(false);
  const edit = useAction('edit-batch', { done: 'Saved', changes: ['list-batches'], onDone: () => setEdited(false) });
  const item = batch.items[index];
  if (item === undefined) return null;
  const { prompt, title, template } = item;
  const act = (change: Change) => edit.act({ dir, name: batch.name, item: index + 1, was: prompt, change });
  const position = `item ${index + 1}`;
  return (
    <li>
      <span className="quiet numbers">{index + 1}</span>
      {isEdited ? (
        <ItemForm item={item} isBusy={edit.isBusy} onSave={act} onCancel={() => setEdited(false)} />
      ) : (
        <span className={styles.prompt}>
          {title === null ? null : <strong>{title} </strong>}
          {prompt}
        </span>
      )}
      {template === null ? null : (
        <Link href={`/templates?name=${template}`} className="quiet">
          {template}
        </Link>
      )}
      {!MAY_ACT || isEdited ? null : (
        <span className={styles.actions}>
          <Button weight="quiet" aria-label={`Edit ${position}`} onClick={() => setEdited(true)}>
            Edit
          </Button>
          <Button
            weight="quiet"
            aria-label={`Move ${position} up`}
            disabled={index === 0}
            busy={edit.isBusy}
            onClick={() => act({ kind: 'move', to: index })}
          >
            Up
          </Button>
          {batch.items.length === 1 ? null : (
            <ConfirmButton
              question={`Remove ${position}?`}
              yes="Remove"
              busy={edit.isBusy}
              onConfirm={() => act({ kind: 'remove' })}
            >
              Remove
            </ConfirmButton>
          )}
        </span>
      )}
    </li>
  );
}

type ItemFormProps = {
  item: Batch['items'][number];
  isBusy: boolean;
  onSave(change: Change): void;
  onCancel(): void;
};

function ItemForm({ item, isBusy, onSave, onCancel }: ItemFormProps): ReactElement {
  const [title, setTitle] = useState(item.title ?? '');
  const [prompt, setPrompt] = useState(item.prompt);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (prompt.trim() !== '')
      onSave({ kind: 'text', prompt: prompt.trim(), title: title.trim() === '' ? null : title.trim() });
  };
  return (
    <form className={styles.form} onSubmit={save} aria-label="Edit item">
      <label>
        Title
        <input
          className={controls.input}
          value={title}
          maxLength={200}
          onChange={({ target }) => setTitle(target.value)}
        />
      </label>
      <label>
        Prompt
        <textarea rows={4} value={prompt} onChange={({ target }) => setPrompt(target.value)} />
      </label>
      <span className={styles.actions}>
        <Button type="submit" weight="main" busy={isBusy} disabled={prompt.trim() === ''}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </span>
    </form>
  );
}
