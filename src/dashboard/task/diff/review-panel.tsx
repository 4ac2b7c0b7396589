import type { KeyboardEvent, ReactElement } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { count } from '../../look/amounts.tsx';
import { Button } from '../../look/button.tsx';
import { messageEffect } from '../task-facts.ts';
import type { TaskView } from '../task-view.ts';
import styles from './diff.module.css';
import { placeOf } from './place-words.ts';
import { asSent, isEmptyReview, NO_REVIEW, type Review } from './review.ts';

type ReviewPanelProps = { view: TaskView; review: Review; change(next: Review): void; again(): void };

/** The review as it will be sent: all comments and a message, and what the agent does with it. */
export function ReviewPanel({ view, review, change, again }: ReviewPanelProps): ReactElement {
  const send = useAction('send-message', {
    done: 'The review was sent to the agent',
    onDone: () => {
      change(NO_REVIEW);
      again();
    },
  });
  const effect = messageEffect(view);
  const canSend = 'effect' in effect && !isEmptyReview(review);
  const submit = () => {
    if (canSend && !send.isBusy) send.act({ run: view.run, task: view.task.spec.key, ...asSent(review) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <section className={styles.review} aria-label="Review">
      <details className={styles.drafts}>
        <summary>{count(review.comments.length, 'comment')} in your review</summary>
        <ul>
          {review.comments.map((comment) => (
            <li key={comment.id}>
              <code>{comment.path}</code> {placeOf(comment)}: {comment.text}
            </li>
          ))}
        </ul>
        {review.comments.length === 0 ? <p className="quiet">Click a line's number to comment on it.</p> : null}
      </details>
      <textarea
        className={styles.field}
        rows={1}
        placeholder="Message that goes with the review"
        aria-label="Message that goes with the review"
        value={review.message}
        onChange={(event) => change({ ...review, message: event.target.value })}
        onKeyDown={onKeyDown}
      />
      <p className={styles.effect}>{'effect' in effect ? effect.effect : effect.refusal}</p>
      <Button weight="main" busy={send.isBusy} disabled={!canSend} title="Ctrl-Enter" onClick={submit}>
        Send review
      </Button>
    </section>
  );
}
