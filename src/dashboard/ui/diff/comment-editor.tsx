import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { Button } from '../controls/button.tsx';
import styles from './diff.module.css';
import { describeLines, type Selection } from './line-selection.ts';

type CommentEditorProps = {
  selection: Selection;
  /** The draft text; it survives unmounting by the virtual list. */
  draft: { current: string };
  save(text: string): void;
  stop(): void;
};

/** The editor of a comment on lines: Ctrl-Enter saves it, Esc discards it. */
export function CommentEditor({ selection, draft, save, stop }: CommentEditorProps): ReactElement {
  const [text, setText] = useState(draft.current);
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (next: string) => {
    draft.current = next;
    setText(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: selecting other lines keeps the focus in the editor
  useEffect(() => field.current?.focus(), [selection]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') save(text);
    if (event.key === 'Escape') stop();
  };
  const label = `Comment on ${describeLines(selection)}`;
  return (
    <div className={styles.comment}>
      <p className={styles.commentHead}>{label}</p>
      <textarea
        ref={field}
        className={styles.field}
        rows={3}
        maxLength={20_000}
        aria-label={label}
        placeholder="What should the agent change?"
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.commentActs}>
        <Button weight="main" disabled={text.trim() === ''} title="Ctrl-Enter" onClick={() => save(text)}>
          Add to review
        </Button>
        <Button weight="quiet" onClick={stop}>
          Discard
        </Button>
      </div>
    </div>
  );
}
