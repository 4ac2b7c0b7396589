import type { ReactElement } from 'react';
import { Button } from '../../look/button.tsx';
import styles from './diff.module.css';
import { placeOf } from './place-words.ts';
import type { DraftComment } from './review.ts';

/** A comment that was written and not sent yet. */
export function CommentRow(props: { comment: DraftComment; edit(): void; remove(): void }): ReactElement {
  const { comment, edit, remove } = props;
  return (
    <div className={styles.comment}>
      <p className={styles.commentHead}>
        Your comment on {placeOf(comment)} <span className="quiet">not sent yet</span>
      </p>
      <p className={styles.commentText}>{comment.text}</p>
      <div className={styles.commentActs}>
        <Button weight="quiet" onClick={edit}>
          Edit
        </Button>
        <Button weight="quiet" onClick={remove}>
          Remove
        </Button>
      </div>
    </div>
  );
}
