import { memo, type ReactElement } from 'react';
import { CommentEditor } from './comment-editor.tsx';
import { CommentRow } from './comment-row.tsx';
import styles from './diff.module.css';
import type { LineActs } from './diff-acts.ts';
import type { DiffRow } from './diff-rows.ts';
import { FileRow } from './file-row.tsx';
import { PairRow, UnifiedRow } from './line-rows.tsx';
import type { Selection, Side } from './selection.ts';

type DiffRowViewProps = {
  row: DiffRow;
  /** The side at which the keyboard's cursor stands, if it stands in this row. */
  cursor: Side | undefined;
  selected: Selection | undefined;
  draft: { current: string };
  /** How many languages there are: a row is drawn anew when there is one more. */
  languages: number;
  act: LineActs;
};

/** One row of a diff. */
export const DiffRowView = memo(function DiffRowView(props: DiffRowViewProps): ReactElement {
  const { row, cursor, selected, draft, act } = props;
  switch (row.row) {
    case 'file':
      return <FileRow file={row.file} isOpen={row.isOpen} toggle={() => act.toggle(row.file.path)} />;
    case 'note':
      return (
        <p className={styles.note}>
          {row.text}
          {row.unfold ? (
            <button type="button" className={styles.unfold} onClick={() => act.toggle(row.file.path)}>
              Show it
            </button>
          ) : null}
        </p>
      );
    case 'hunk':
      return <p className={styles.hunk}>{row.title}</p>;
    case 'line':
      return <UnifiedRow row={row} cursor={cursor} selected={selected} act={act} />;
    case 'pair':
      return <PairRow row={row} cursor={cursor} selected={selected} act={act} />;
    case 'comment':
      return (
        <CommentRow comment={row.comment} edit={() => act.edit(row.comment)} remove={() => act.remove(row.comment)} />
      );
    case 'editor':
      return <CommentEditor selection={row.selection} draft={draft} save={act.save} stop={act.stop} />;
  }
});
