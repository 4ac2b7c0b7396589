import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-operation.ts';
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

/** What can be done with the runs that are chosen. */
export function HistoryActions({ runs, dir, isArchived, onDone }: HistoryActionsProps): ReactElement {
  const [asking, setAsking] = useState<'title' | 'collection'>();
  const [text, setText] = useState('');
  const filing = useFiling(onDone);
  const restore = useAction('restore-archive', { done: 'It is in the database again', changes: ['list-runs'], onDone });
  const [first] = runs;
  const isFlagged = runs.every(({ flag }) => flag !== null);
  const isHidden = runs.every(({ hidden }) => hidden);
  const settle = () => {
    if (text.trim() === '' || first === undefined) return;
    if (asking === 'title') filing.rename(first.run, text.trim());
    else if (dir !== undefined) filing.collect(dir, text.trim(), runs);
    setAsking(undefined);
    setText('');
  };
  if (first === undefined)
    return <p className={`${styles.bar} ${styles.keys}`}>j and k move, x chooses, Enter opens, f flags, h hides.</p>;
  if (isArchived)
    return (
      <p className={styles.bar}>
        <Button
          busy={restore.isBusy}
          onClick={() => {
            for (const { run } of runs) restore.act({ archive: run });
          }}
        >
          Restore {count(runs.length, 'run')}
        </Button>
      </p>
    );
  if (asking !== undefined)
    return (
      <form
        className={styles.bar}
        onSubmit={(event) => {
          event.preventDefault();
          settle();
        }}
      >
        <input
          type="text"
          className={choice.input}
          aria-label={asking === 'title' ? 'The new title' : 'The collection'}
          placeholder={asking === 'title' ? 'A new title' : 'A collection; it is made if there is none'}
          // It was just asked for.
          // biome-ignore lint/a11y/noAutofocus: see above
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setAsking(undefined)}
        />
        <Button type="submit" weight="main">
          Save
        </Button>
        <Button onClick={() => setAsking(undefined)}>Back</Button>
      </form>
    );
  return (
    <p className={styles.bar}>
      <span>{count(runs.length, 'run')} chosen</span>
      <Button onClick={() => filing.flag(runs, !isFlagged)}>{isFlagged ? 'Unflag' : 'Flag'}</Button>
      <Button onClick={() => filing.hide(runs, !isHidden)}>{isHidden ? 'List again' : 'Hide'}</Button>
      {dir === undefined ? null : <Button onClick={() => setAsking('collection')}>Add to collection</Button>}
      {runs.length === 1 ? (
        <Button
          onClick={() => {
            setText(first.title);
            setAsking('title');
          }}
        >
          Rename
        </Button>
      ) : null}
    </p>
  );
}

type Filing = {
  flag(runs: readonly HistoryRun[], isOn: boolean): void;
  hide(runs: readonly HistoryRun[], isOn: boolean): void;
  collect(dir: string, name: string, runs: readonly HistoryRun[]): void;
  rename(run: string, title: string): void;
};

/** Files runs: flags, hides, collects or renames them, several at once; the list is then asked for anew. */
export function useFiling(onDone: () => void): Filing {
  const client = useQueryClient();
  const execute = async (asked: readonly Promise<unknown>[], done: string) => {
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused === undefined) notify({ kind: 'done', text: done });
    else notify({ kind: 'trouble', text: String(refused.reason?.message ?? refused.reason), error: refused.reason });
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
        `${count(runs.length, 'run')} ${isOn ? 'hidden' : 'listed again'}`,
      ),
    collect: (dir, name, runs) =>
      void execute([call('add-collection', { dir, name, runs: runs.map(({ run }) => run) })], `Filed in ${name}`),
    rename: (run, title) => void execute([call('rename-run', { run, title })], 'Renamed'),
  };
}
