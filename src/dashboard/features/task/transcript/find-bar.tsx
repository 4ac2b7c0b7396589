import type { KeyboardEvent, ReactElement, Ref } from 'react';
import { Button } from '../../../ui/controls/button.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './transcript.module.css';
import type { Find } from './use-transcript-find.ts';

/** Finds a text in the transcript: Enter for the next hit, Shift-Enter for the previous one, Esc to stop. */
export function FindBar({ find, field }: { find: Find; field: Ref<HTMLInputElement> }): ReactElement {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      find.step(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape') find.search('');
  };
  return (
    <search className={styles.find}>
      <Icon name="search" />
      <input
        ref={field}
        className={styles.field}
        type="text"
        placeholder="Find"
        aria-label="Find in transcript"
        value={find.text}
        onChange={(event) => find.search(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className={styles.hits} role="status">
        {statusText(find)}
      </span>
      <Button weight="quiet" aria-label="Previous" disabled={find.hits.length === 0} onClick={() => find.step(-1)}>
        ↑
      </Button>
      <Button weight="quiet" aria-label="Next" disabled={find.hits.length === 0} onClick={() => find.step(1)}>
        ↓
      </Button>
    </search>
  );
}

function statusText(find: Find): string {
  if (find.text.trim() === '') return '';
  if (find.error !== undefined) return 'search failed';
  if (find.isBusy) return '…';
  if (find.hits.length === 0) return 'not found';
  return `${find.at + 1} of ${find.hits.length}${find.hasMore ? '+' : ''}`;
}
