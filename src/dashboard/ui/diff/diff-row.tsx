import { memo, type ReactElement } from 'react';
import { Button } from '../controls/button.tsx';
import { Copyable } from '../text/copyable.tsx';
import { Icon } from '../text/icon.tsx';
import { CommentEditor } from './comment-editor.tsx';
import styles from './diff.module.css';
import { Changed } from './diff-bar.tsx';
import { PairRow, UnifiedRow } from './diff-lines.tsx';
import type { DiffRow } from './diff-rows.ts';
import type { DraftComment } from './draft-review.ts';
import { describeLines, type Selection, type Side } from './line-selection.ts';
import type { DiffFile } from './parse-diff.ts';
import type { LineActions } from './use-diff-keys.ts';

type DiffRowViewProps = {
  row: DiffRow;
  /** The side of the keyboard cursor, if it is in this row. */
  cursor: Side | undefined;
  selected: Selection | undefined;
  draft: { current: string };
  /** The number of loaded languages; a row is rendered again when it changes. */
  languages: number;
  actions: LineActions;
};

/** One row of a diff. */
export const DiffRowView = memo(function DiffRowView(props: DiffRowViewProps): ReactElement {
  const { row, cursor, selected, draft, actions } = props;
  switch (row.row) {
    case 'file':
      return <FileRow row={row} actions={actions} />;
    case 'note':
      return (
        <p className={styles.note}>
          {row.text}
          {row.canExpand ? (
            <button type="button" className={styles.unfold} onClick={() => actions.toggle(row.file.path)}>
              Show
            </button>
          ) : null}
        </p>
      );
    case 'hunk':
      return <p className={styles.hunk}>{row.title}</p>;
    case 'line':
      return <UnifiedRow row={row} cursor={cursor} selected={selected} actions={actions} />;
    case 'pair':
      return <PairRow row={row} cursor={cursor} selected={selected} actions={actions} />;
    case 'comment':
      return (
        <CommentRow
          comment={row.comment}
          edit={() => actions.edit(row.comment)}
          remove={() => actions.remove(row.comment)}
        />
      );
    case 'editor':
      return <CommentEditor selection={row.selection} draft={draft} save={actions.save} stop={actions.stop} />;
  }
});

/** An unsent comment. */
function CommentRow(props: { comment: DraftComment; edit(): void; remove(): void }): ReactElement {
  const { comment, edit, remove } = props;
  return (
    <div className={styles.comment}>
      <p className={styles.commentHead}>
        Your comment on {describeLines(comment)} <span className="quiet">not sent yet</span>
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

/** The header of a file: path, status, changed lines, its collapse button and its mark. */
function FileRow({ row, actions }: { row: DiffRow & { row: 'file' }; actions: LineActions }): ReactElement {
  const { file, isOpen, isViewed, isHeld } = row;
  const toggle = () => actions.toggle(file.path);
  return (
    <div className={styles.file}>
      <button type="button" className={styles.fold} aria-expanded={isOpen} aria-label={file.path} onClick={toggle}>
        <Icon name="chevron" size={12} />
      </button>
      <h2 className={styles.path}>
        <Copyable text={file.path} />
      </h2>
      {file.status === 'modified' ? null : <span className={styles.status}>{statusOf(file)}</span>}
      <Changed added={file.added} deleted={file.deleted} />
      {isHeld ? <span className={styles.heldFile}>held for your decision</span> : null}
      <label className={styles.viewed}>
        <input type="checkbox" checked={isViewed} onChange={() => actions.view(file.path)} /> Viewed
      </label>
    </div>
  );
}

function statusOf({ status, from }: DiffFile): string {
  return status === 'renamed' ? `renamed from ${from ?? '?'}` : status;
}
