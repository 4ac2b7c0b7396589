import type { ReactElement } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/text/amounts.tsx';

type DraftReview = OperationOutput<'show-watch'>['reviews'][number];
type DraftReviewsViewProps = { dir: string; reviews: readonly DraftReview[] };

/** Reviews of pull requests that are posted only by a click. */
export function DraftReviewsView({ dir, reviews }: DraftReviewsViewProps): ReactElement {
  return (
    <Panel title="Draft reviews">
      <div className={styles.list}>
        {reviews.length === 0 ? (
          <EmptyState title="No draft reviews">A review is posted only when you choose it.</EmptyState>
        ) : null}
        {reviews.toReversed().map((review) => (
          <ReviewCard key={`${review.number} ${review.head}`} dir={dir} review={review} />
        ))}
      </div>
    </Panel>
  );
}

function ReviewCard({ dir, review }: { dir: string; review: DraftReview }): ReactElement {
  const { number, title, url, head, text, status, at } = review;
  const posting = useAction('settle-draft-review', { done: 'Posted', changes: ['show-watch'] });
  const discarding = useAction('settle-draft-review', { done: 'Discarded', changes: ['show-watch'] });
  return (
    <article className={styles.card} aria-label={`Review of #${number}`}>
      <div className={styles.head}>
        {/^https?:\/\//.test(url) ? (
          <a href={url} target="_blank" rel="noreferrer">
            #{number} {title}
          </a>
        ) : (
          <span>
            #{number} {title}
          </span>
        )}
        {status !== 'draft' ? null : (
          <span>
            <ConfirmButton
              question="Post it as a comment that everyone can read?"
              yes="Post"
              busy={posting.isBusy}
              onConfirm={() => posting.act({ dir, number, post: true })}
            >
              Post
            </ConfirmButton>
            <Button busy={discarding.isBusy} onClick={() => discarding.act({ dir, number, post: false })}>
              Discard
            </Button>
          </span>
        )}
      </div>
      <pre>{text}</pre>
      <span className="quiet">
        {status} · commit {head.slice(0, 10)} · <Time at={at} />
      </span>
    </article>
  );
}
