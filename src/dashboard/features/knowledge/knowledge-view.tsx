import { type FormEvent, type ReactElement, useState } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { useDebouncedText } from '../../ui/controls/use-debounced-text.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/text/amounts.tsx';

type Entry = OperationOutput<'list-knowledge'>[number];

/** The entries of a project: search, add, change, approve and remove them. */
export function KnowledgeView({ dir }: { dir: string }): ReactElement {
  const [searched, setSearched] = useState('');
  const [text, setText] = useDebouncedText(searched, setSearched);
  const query = searched.trim();
  const [edited, setEdited] = useState<Entry | 'new'>();
  const list = useOperation(
    'list-knowledge',
    { dir, ...(query === '' ? {} : { query }) },
    { fresh: true, state: query },
  );
  const entries = list.data ?? [];
  return (
    <Panel
      title="Entries"
      actions={
        <>
          <input
            type="search"
            aria-label="Search entries"
            placeholder="Search"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button onClick={() => setEdited('new')}>New entry</Button>
        </>
      }
    >
      <div className={styles.list}>
        {edited === undefined ? null : (
          <EntryForm
            key={edited === 'new' ? 'new' : edited.id}
            dir={dir}
            entry={edited === 'new' ? undefined : edited}
            onDone={() => setEdited(undefined)}
          />
        )}
        {list.isLoading ? <Skeleton lines={6} /> : null}
        {list.error === undefined ? null : <ErrorMessage error={list.error} retry={list.reload} />}
        {list.data !== undefined && entries.length === 0 ? (
          <EmptyState title="No entries">Agents report what they learn; you can add entries too.</EmptyState>
        ) : null}
        {entries.map((entry) => (
          <EntryCard key={entry.id} dir={dir} entry={entry} onEdit={() => setEdited(entry)} />
        ))}
      </div>
    </Panel>
  );
}

function EntryCard({ dir, entry, onEdit }: { dir: string; entry: Entry; onEdit(): void }): ReactElement {
  const { id, title, text, tags, status, scope, reason, origin, at } = entry;
  const removing = useAction('remove-knowledge', { done: 'Removed', changes: ['list-knowledge'] });
  const keeping = useAction('edit-knowledge', { done: 'Kept', changes: ['list-knowledge'] });
  const from = origin === null ? 'a person' : origin.attempt;
  return (
    <article className={styles.card} aria-label={title}>
      <div className={styles.head}>
        <strong>{title}</strong>
        <span className={styles.actions}>
          {status === 'waiting' ? (
            <Button busy={keeping.isBusy} onClick={() => keeping.act({ dir, id, scope: 'everywhere' })}>
              Let it count everywhere
            </Button>
          ) : null}
          {status === 'waiting' || status === 'discarded' || status === 'superseded' ? (
            <Button busy={keeping.isBusy} onClick={() => keeping.act({ dir, id, scope: 'project' })}>
              Keep for this project
            </Button>
          ) : null}
          <Button onClick={onEdit}>Edit</Button>
          <ConfirmButton
            question="Remove this entry for good?"
            yes="Remove"
            busy={removing.isBusy}
            onConfirm={() => removing.act({ dir, id })}
          >
            Remove
          </ConfirmButton>
        </span>
      </div>
      <p>{text}</p>
      <span className="quiet">
        {status}
        {reason === null ? '' : ` (${reason})`} · {scope} · from {from} · <Time at={at} />
        {tags.length === 0 ? '' : ` · ${tags.join(', ')}`}
      </span>
    </article>
  );
}

type EntryFormProps = { dir: string; entry: Entry | undefined; onDone(): void };

function EntryForm({ dir, entry, onDone }: EntryFormProps): ReactElement {
  const [title, setTitle] = useState(entry?.title ?? '');
  const [text, setText] = useState(entry?.text ?? '');
  const saving = useAction('edit-knowledge', { done: 'Saved', onDone, changes: ['list-knowledge'] });
  const save = (event: FormEvent) => {
    event.preventDefault();
    saving.act({ dir, title, text, ...(entry === undefined ? {} : { id: entry.id }) });
  };
  return (
    <form className={styles.form} onSubmit={save} aria-label={entry === undefined ? 'New entry' : 'Edit entry'}>
      <label>
        What it is about
        <input
          value={title}
          minLength={3}
          maxLength={200}
          required
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      <label>
        The fact
        <textarea
          value={text}
          rows={4}
          minLength={20}
          maxLength={4_000}
          required
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <span>
        <Button type="submit" weight="main" busy={saving.isBusy}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </span>
    </form>
  );
}
