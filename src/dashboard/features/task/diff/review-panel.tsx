import type { KeyboardEvent, ReactElement } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import styles from '../../../ui/diff/diff.module.css';
import { isEmptyReview, NO_REVIEW, reviewMessage } from '../../../ui/diff/draft-review.ts';
import { EarlierComments } from '../../../ui/diff/earlier-comments.tsx';
import { describeLines } from '../../../ui/diff/line-selection.ts';
import type { DraftReviewState } from '../../../ui/diff/use-draft-review.ts';
import { count } from '../../../ui/text/amounts.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import { messageEffect, type TaskView } from '../task-facts.ts';

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
      <EarlierComments draft={draft} />
      <details className={styles.drafts}>
        <summary>
          {review.comments.length === 0
            ? 'No comments yet: click a line number to comment on it'
            : `${count(review.comments.length, 'comment')} in your review`}
        </summary>
        <ul>
          {review.comments.map((comment) => (
            <li key={comment.id}>
              <code>{visibleText(comment.path)}</code> {describeLines(comment)}: {comment.text}
            </li>
          ))}
        </ul>
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
