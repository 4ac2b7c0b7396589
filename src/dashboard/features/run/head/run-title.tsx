import { type FormEvent, type ReactElement, useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './run-title.module.css';

/** A run's title; the pencil lets one write another. */
export function RunTitle({ run, title }: { run: string; title: string }): ReactElement {
  const [draft, setDraft] = useState<string | null>(null);
  const rename = useAction('rename-run', { onDone: () => setDraft(null) });
  if (draft === null) {
    return (
      <div className={styles.title}>
        <h1>{title}</h1>
        <Button weight="quiet" aria-label="Rename" title="Rename" onClick={() => setDraft(title)}>
          <Icon name="pencil" size={14} />
        </Button>
      </div>
    );
  }
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() === title || draft.trim() === '') setDraft(null);
    else rename.act({ run, title: draft });
  };
  return (
    <form className={styles.form} onSubmit={save}>
      <input
        aria-label="Title"
        className={styles.input}
        value={draft}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was just pressed
        autoFocus
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => (key === 'Escape' ? setDraft(null) : undefined)}
      />
      <Button type="submit" weight="main" busy={rename.isBusy}>
        Rename
      </Button>
      <Button weight="quiet" onClick={() => setDraft(null)}>
        Cancel
      </Button>
    </form>
  );
}
