import { type ReactElement, useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { count } from '../../ui/amounts.tsx';
import { Button } from '../../ui/button.tsx';
import choice from '../../ui/choice.module.css';
import styles from './history.module.css';
import { useFiling } from './use-filing.ts';
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
