import type { ReactElement } from 'react';
import { Button } from '../controls/button.tsx';
import { count } from '../text/amounts.tsx';
import styles from './diff.module.css';
import type { DraftReviewState } from './use-draft-review.ts';

/** Unsent comments on an earlier version of the work. */
export function EarlierComments({ draft }: { draft: DraftReviewState }): ReactElement | null {
  if (draft.earlierCount === 0) return null;
  return (
    <p className={styles.earlier}>
      {count(draft.earlierCount, 'comment')} on an earlier version {draft.earlierCount === 1 ? 'was' : 'were'} never
      sent.
      <Button onClick={draft.mergeEarlier}>Add to this review</Button>
      <Button weight="quiet" onClick={draft.discard}>
        Discard
      </Button>
    </p>
  );
}
