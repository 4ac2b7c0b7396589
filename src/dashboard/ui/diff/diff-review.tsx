import { type ReactElement, type ReactNode, useMemo, useRef, useState } from 'react';
import { FileTree } from './changed-files.tsx';
import styles from './diff.module.css';
import { DiffBar } from './diff-bar.tsx';
import { DiffList } from './diff-list.tsx';
import { type DiffLayout, diffRows } from './diff-rows.ts';
import { commentOn, type DraftComment, nextId, withComment } from './draft-review.ts';
import { fileTree, inTreeOrder } from './file-tree.ts';
import type { Selection } from './line-selection.ts';
import type { DiffFile } from './parse-diff.ts';
import type { DraftReviewState } from './use-draft-review.ts';
import { useViewedFiles } from './viewed-files.ts';

const LAYOUTS: readonly [DiffLayout, DiffLayout] = ['unified', 'split'];

type DiffReviewProps = {
  files: readonly DiffFile[];
  draft: DraftReviewState;
  /** The files because of which the work is held; the diff begins with them. */
  held?: ReadonlySet<string>;
  /** Where the marks of viewed files are stored. */
  viewedKey: string;
  /** Controls in the bar above the diff. */
  controls?: ReactNode;
  /** The panel with the unsent review, below the diff. */
  children: ReactNode;
};

const NONE: ReadonlySet<string> = new Set();

/** A diff with its file tree, marks of viewed files, and comments on lines. */
export function DiffReview(props: DiffReviewProps): ReactElement {
  const { files, draft, held = NONE, viewedKey, controls, children } = props;
  const [layout, setLayout] = useStoredChoice('manyhands diff', LAYOUTS);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(NONE);
  const [editing, setEditing] = useState<Selection & { id?: string }>();
  const commentDraft = useRef('');
  const [scrollTarget, setScrollTarget] = useState<{ key: string }>();
  const viewed = useViewedFiles(viewedKey, files);
  const { review, change } = draft;
  const ordered = useMemo(() => heldFirst(inTreeOrder(fileTree(files)), held), [files, held]);
  const { comments } = review;
  const rows = useMemo(
    () => diffRows({ files: ordered, layout, toggled, viewed: viewed.paths, held, comments, editing }),
    [ordered, layout, toggled, viewed.paths, held, comments, editing],
  );
  const setOpen = (path: string, isToggled: boolean) =>
    setToggled((was) => new Set(isToggled ? [...was, path] : [...was].filter((each) => each !== path)));
  const edit = (comment: DraftComment) => {
    commentDraft.current = comment.text;
    setEditing({ ...comment, endLine: comment.endLine ?? comment.line });
  };
  const stop = () => {
    commentDraft.current = '';
    setEditing(undefined);
  };
  const save = (text: string) => {
    const file = files.find(({ path }) => path === editing?.path);
    if (editing === undefined || file === undefined) return;
    change(withComment(review, commentOn(file, editing, { id: editing.id ?? nextId(review), text })));
    stop();
  };
  const remove = (comment: DraftComment) => change(withComment(review, { ...comment, text: '' }));
  const toggle = (path: string) => setOpen(path, !toggled.has(path));
  const view = (path: string) => {
    setOpen(path, false);
    viewed.toggle(path);
  };
  return (
    <div className={styles.view}>
      <DiffBar files={files} viewedCount={viewed.paths.size} layout={layout} onLayout={setLayout}>
        {controls}
      </DiffBar>
      <div className={styles.parts}>
        <FileTree files={files} comments={comments} held={held} onChoose={(path) => setScrollTarget({ key: path })} />
        <DiffList
          rows={rows}
          scrollTarget={scrollTarget}
          draft={commentDraft}
          actions={{ toggle, view, edit, save, remove, select: setEditing, stop }}
        />
      </div>
      {children}
    </div>
  );
}

/** However many files there are, the decision is about these. */
function heldFirst(files: readonly DiffFile[], held: ReadonlySet<string>): DiffFile[] {
  return [...files.filter(({ path }) => held.has(path)), ...files.filter(({ path }) => !held.has(path))];
}

/** A choice that is stored in this browser; the default is the first option. */
function useStoredChoice<T extends string>(name: string, choices: readonly [T, ...T[]]): [T, (choice: T) => void] {
  const [chosen, setChosen] = useState<T>(() => choices.find((each) => each === storedValue(name)) ?? choices[0]);
  const choose = (choice: T) => {
    setChosen(choice);
    try {
      localStorage.setItem(name, choice);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  };
  return [chosen, choose];
}

function storedValue(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // Storage may be disabled.
    return null;
  }
}
