import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { call } from '../../api/call.ts';
import { Button } from '../../ui/controls/button.tsx';
import choice from '../../ui/controls/controls.module.css';
import { notify } from '../../ui/feedback/notices.ts';
import { count } from '../../ui/text/amounts.tsx';
import styles from './history.module.css';
import type { HistoryRun } from './use-history.ts';

type HistoryActionsProps = {
  runs: readonly HistoryRun[];
  dir: string | undefined;
  isArchived: boolean;
  onDone(): void;
};

/** The actions for the selected runs. */
export function HistoryActions({ runs, dir, isArchived, onDone }: HistoryActionsProps): ReactElement {
  const [editing, setEditing] = useState<'title' | 'collection'>();
  const [text, setText] = useState('');
  const updates = useRunUpdates(onDone);
  const [first] = runs;
  const isFlagged = runs.every(({ flag }) => flag !== null);
  const isHidden = runs.every(({ hidden }) => hidden);
  const submit = () => {
    if (text.trim() === '' || first === undefined) return;
    if (editing === 'title') updates.rename(first.run, text.trim());
    else if (dir !== undefined) updates.collect(dir, text.trim(), runs);
    setEditing(undefined);
    setText('');
  };
  if (first === undefined)
    return <p className={`${styles.bar} ${styles.keys}`}>j and k move, x selects, Enter opens, f flags, h hides.</p>;
  if (isArchived)
    return (
      <p className={styles.bar}>
        <Button onClick={() => updates.restore(runs)}>Restore {count(runs.length, 'run')}</Button>
      </p>
    );
  if (editing !== undefined)
    return (
      <form
        className={styles.bar}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <input
          type="text"
          className={choice.input}
          aria-label={editing === 'title' ? 'New title' : 'Collection'}
          placeholder={editing === 'title' ? 'New title' : 'Collection; a new name creates one'}
          // The user has just opened this field.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setEditing(undefined)}
        />
        <Button type="submit" weight="main">
          Save
        </Button>
        <Button onClick={() => setEditing(undefined)}>Back</Button>
      </form>
    );
  return (
    <p className={styles.bar}>
      <span>{count(runs.length, 'run')} selected</span>
      <Button onClick={() => updates.flag(runs, !isFlagged)}>{isFlagged ? 'Unflag' : 'Flag'}</Button>
      <Button onClick={() => updates.hide(runs, !isHidden)}>{isHidden ? 'Unhide' : 'Hide'}</Button>
      {dir === undefined ? null : <Button onClick={() => setEditing('collection')}>Add to collection</Button>}
      {runs.length === 1 ? (
        <Button
          onClick={() => {
            setText(first.title);
            setEditing('title');
          }}
        >
          Rename
        </Button>
      ) : null}
    </p>
  );
}

type RunUpdates = {
  flag(runs: readonly HistoryRun[], isOn: boolean): void;
  hide(runs: readonly HistoryRun[], isOn: boolean): void;
  collect(dir: string, name: string, runs: readonly HistoryRun[]): void;
  rename(run: string, title: string): void;
  restore(runs: readonly HistoryRun[]): void;
};

/** Flags, hides, collects, renames or restores several runs at once, then reloads the list. */
export function useRunUpdates(onDone: () => void): RunUpdates {
  const client = useQueryClient();
  const execute = async (calls: readonly Promise<unknown>[], done: string) => {
    const outcomes = await Promise.allSettled(calls);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) notify({ kind: 'done', text: done });
    else notify({ kind: 'error', text: String(failed.reason?.message ?? failed.reason), error: failed.reason });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['list-runs'] }),
      client.invalidateQueries({ queryKey: ['list-collections'] }),
    ]);
    onDone();
  };
  return {
    flag: (runs, isOn) =>
      void execute(
        runs.map(({ run }) => call('flag-run', { run, flagged: isOn })),
        `${count(runs.length, 'run')} ${isOn ? 'flagged' : 'unflagged'}`,
      ),
    hide: (runs, isOn) =>
      void execute(
        runs.map(({ run }) => call('hide-run', { run, hidden: isOn })),
        `${count(runs.length, 'run')} ${isOn ? 'hidden' : 'visible again'}`,
      ),
    collect: (dir, name, runs) =>
      void execute([call('add-collection', { dir, name, runs: runs.map(({ run }) => run) })], `Added to ${name}`),
    rename: (run, title) => void execute([call('rename-run', { run, title })], 'Renamed'),
    restore: (runs) =>
      void execute(
        runs.map(({ run }) => call('restore-archive', { archive: run })),
        `${count(runs.length, 'run')} restored`,
      ),
  };
}
