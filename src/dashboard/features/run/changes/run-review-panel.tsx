import { type ReactElement, useState } from 'react';
import { call } from '../../../api/call.ts';
import { MAY_ACT } from '../../../api/role.ts';
import { Button } from '../../../ui/controls/button.tsx';
import styles from '../../../ui/diff/diff.module.css';
import { type DraftComment, reviewMessage, withComment } from '../../../ui/diff/draft-review.ts';
import { EarlierComments } from '../../../ui/diff/earlier-comments.tsx';
import { describeLines } from '../../../ui/diff/line-selection.ts';
import type { DraftReviewState } from '../../../ui/diff/use-draft-review.ts';
import { notify } from '../../../ui/feedback/notices.ts';
import { count } from '../../../ui/text/amounts.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import { type ChangedByTask, reviewByTask } from './review-by-task.ts';

type RunReviewPanelProps = { run: string; tasks: readonly ChangedByTask[]; draft: DraftReviewState };

/** The unsent review of a whole run: each comment goes to the task that changed its file, as one message per task. */
export function RunReviewPanel({ run, tasks, draft }: RunReviewPanelProps): ReactElement {
  const { review, change } = draft;
  const { byTask, unassigned } = reviewByTask(tasks, review.comments);
  const { send, isBusy } = useSendReview(run, draft);
  return (
    <section className={styles.review} aria-label="Review">
      <EarlierComments draft={draft} />
      <details className={styles.drafts} open={review.comments.length > 0}>
        <summary>
          {review.comments.length === 0
            ? 'No comments yet: click a line number to comment on it'
            : `${count(review.comments.length, 'comment')} for ${count(byTask.length, 'task')}`}
        </summary>
        <ul>
          {byTask.map(([{ task, label, title }, comments]) => (
            <li key={task}>
              To <strong>{label}</strong> {visibleText(title)}
              <CommentLines comments={comments} />
            </li>
          ))}
          {unassigned.length === 0 ? null : (
            <li>
              No task changed these files; these comments are not sent
              <CommentLines comments={unassigned} />
            </li>
          )}
        </ul>
      </details>
      <textarea
        className={styles.field}
        rows={1}
        placeholder="Message to each of these tasks"
        aria-label="Message to each of these tasks"
        value={review.message}
        onChange={({ target }) => change({ ...review, message: target.value })}
      />
      <p className={styles.effect}>
        Each task gets a new attempt with its comments; tasks that depend on it are done again.
      </p>
      <Button weight="main" busy={isBusy} disabled={byTask.length === 0 || !MAY_ACT} onClick={() => void send(byTask)}>
        Send review
      </Button>
    </section>
  );
}

function CommentLines({ comments }: { comments: readonly DraftComment[] }): ReactElement {
  return (
    <ul>
      {comments.map((comment) => (
        <li key={comment.id}>
          <code>{visibleText(comment.path)}</code> {describeLines(comment)}: {comment.text}
        </li>
      ))}
    </ul>
  );
}

/** Sends one message per task; what was sent leaves the review at once, so that a failure repeats nothing. */
function useSendReview(
  run: string,
  { review, change }: DraftReviewState,
): { isBusy: boolean; send(byTask: readonly [ChangedByTask, DraftComment[]][]): Promise<void> } {
  const [isBusy, setBusy] = useState(false);
  const send = async (byTask: readonly [ChangedByTask, DraftComment[]][]) => {
    setBusy(true);
    let rest = review;
    try {
      for (const [{ task }, comments] of byTask) {
        await call('send-message', { run, task, ...reviewMessage({ message: review.message, comments }) });
        rest = comments.reduce((left, comment) => withComment(left, { ...comment, text: '' }), rest);
        change(rest);
      }
      change({ ...rest, message: '' });
      notify({ kind: 'done', text: `The review was sent to ${count(byTask.length, 'task')}` });
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, send };
}
