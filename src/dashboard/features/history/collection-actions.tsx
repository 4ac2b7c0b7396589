import { type FormEvent, type ReactElement, useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import choice from '../../ui/controls/controls.module.css';
import styles from './history.module.css';

type CollectionActionsProps = { dir: string; name: string; onChange(name: string): void };

/** Renames or removes the collection that is shown; its runs stay. */
export function CollectionActions({ dir, name, onChange }: CollectionActionsProps): ReactElement {
  const [to, setTo] = useState(name);
  const changes = ['list-collections', 'list-runs'] as const;
  const rename = useAction('rename-collection', {
    done: 'Renamed',
    changes,
    onDone: (renamed) => onChange(renamed.name),
  });
  const remove = useAction('remove-collection', {
    done: 'Removed; its runs stay',
    changes,
    onDone: () => onChange(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (to.trim() !== '' && to.trim() !== name) rename.act({ dir, name, to: to.trim() });
  };
  return (
    <form className={styles.bar} aria-label={`Collection ${name}`} onSubmit={submit}>
      <label>
        Collection{' '}
        <input className={choice.input} value={to} maxLength={60} onChange={({ target }) => setTo(target.value)} />
      </label>
      <Button type="submit" busy={rename.isBusy} disabled={to.trim() === '' || to.trim() === name}>
        Rename
      </Button>
      <ConfirmButton
        question="Remove the collection? Its runs stay."
        yes="Remove"
        busy={remove.isBusy}
        onConfirm={() => remove.act({ dir, name })}
      >
        Remove collection
      </ConfirmButton>
    </form>
  );
}
