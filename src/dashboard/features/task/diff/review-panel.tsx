import type { KeyboardEvent, ReactElement } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { messageEffect, type TaskView } from '../task-facts.ts';
import styles from './diff.module.css';
import { isEmptyReview, NO_REVIEW, reviewMessage } from './draft-review.ts';
import { describeLines } from './line-selection.ts';
import type { DraftReviewState } from './use-draft-review.ts';

type ReviewPanelProps = { view: TaskView; draft: DraftReviewState; reload(): void };

/** The unsent review: its comments, a message, and the effect of sending it. */
export function ReviewPanel({ view, draft, reload }: ReviewPanelProps): ReactElement {
  const { review, change } = draft;
  const send = useAction('send-message', {
    done: 'The review was sent to the agent',
    onDone: () => {
      change(NO_REVIEW);
      reload();
    },
  });
  const effect = messageEffect(view);
  const canSend = 'effect' in effect && !isEmptyReview(review);
  const submit = () => {
    if (canSend && !send.isBusy) send.act({ run: view.run, task: view.task.spec.key, ...reviewMessage(review) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <section className={styles.review} aria-label="Review">
      {draft.earlierCount === 0 ? null : <Earlier draft={draft} />}
      <details className={styles.drafts}>
        <summary>{count(review.comments.length, 'comment')} in your review</summary>
        <ul>
          {review.comments.map((comment) => (
            <li key={comment.id}>
              <code>{comment.path}</code> {describeLines(comment)}: {comment.text}
            </li>
          ))}
        </ul>
        {review.comments.length === 0 ? <p className="quiet">Click a line's number to comment on it.</p> : null}
      </details>
      <textarea
        className={styles.field}
        rows={1}
        placeholder="Message with the review"
        aria-label="Message with the review"
        value={review.message}
        onChange={(event) => change({ ...review, message: event.target.value })}
        onKeyDown={onKeyDown}
      />
      <p className={styles.effect}>{'effect' in effect ? effect.effect : effect.unavailable}</p>
      <Button weight="main" busy={send.isBusy} disabled={!canSend} title="Ctrl-Enter" onClick={submit}>
        Send review
      </Button>
    </section>
  );
}

/** Unsent comments on an earlier version of the work. */
function Earlier({ draft }: { draft: DraftReviewState }): ReactElement {
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
