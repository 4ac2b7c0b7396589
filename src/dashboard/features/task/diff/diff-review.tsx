import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { TaskView } from '../task-view.ts';
import styles from './diff.module.css';
import { DiffBar } from './diff-bar.tsx';
import { DiffList } from './diff-list.tsx';
import { diffRows, type Mode } from './diff-rows.ts';
import { fileTree, inTreeOrder } from './file-tree.ts';
import { FileTree } from './file-tree.tsx';
import type { DiffFile } from './parse.ts';
import { commented, commentOn, type DraftComment, nextId } from './review.ts';
import { ReviewPanel } from './review-panel.tsx';
import type { Selection } from './selection.ts';
import { useReview } from './use-review.ts';

const MODES: readonly [Mode, Mode] = ['unified', 'split'];

type DiffReviewProps = { view: TaskView; commit: string; files: readonly DiffFile[]; again(): void };

/** A diff with its files at the side, and the review that is being written about it. */
export function DiffReview({ view, commit, files, again }: DiffReviewProps): ReactElement {
  const { key } = view.task.spec;
  const [mode, setMode] = useKept('manyhands diff', MODES);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Selection & { id?: string }>();
  const draft = useRef('');
  const [goal, setGoal] = useState<{ key: string }>();
  const held = useReview(`manyhands review ${view.run} ${key}`, commit);
  const { review, change } = held;
  const tree = useMemo(() => fileTree(files), [files]);
  const ordered = useMemo(() => inTreeOrder(tree), [tree]);
  const { comments } = review;
  const rows = useMemo(
    () => diffRows({ files: ordered, mode, toggled, comments, editing }),
    [ordered, mode, toggled, comments, editing],
  );
  const toggle = (path: string) =>
    setToggled((was) => new Set(was.has(path) ? [...was].filter((each) => each !== path) : [...was, path]));
  const edit = (comment: DraftComment) => {
    draft.current = comment.text;
    setEditing({ ...comment, endLine: comment.endLine ?? comment.line });
  };
  const stop = () => {
    draft.current = '';
    setEditing(undefined);
  };
  const save = (text: string) => {
    const file = files.find(({ path }) => path === editing?.path);
    if (editing === undefined || file === undefined) return;
    change(commented(review, commentOn(file, editing, { id: editing.id ?? nextId(review), text })));
    stop();
  };
  const remove = (comment: DraftComment) => change(commented(review, { ...comment, text: '' }));
  return (
    <div className={styles.view}>
      <DiffBar files={files} mode={mode} onMode={setMode} />
      <div className={styles.parts}>
        <FileTree tree={tree} comments={comments} onChoose={(path) => setGoal({ key: path })} />
        <DiffList
          rows={rows}
          goal={goal}
          draft={draft}
          act={{ toggle, edit, save, remove, select: setEditing, stop }}
        />
      </div>
      <ReviewPanel view={view} held={held} again={again} />
    </div>
  );
}

/** A choice that this browser remembers; anything but one of the choices is the first of them. */
function useKept<T extends string>(name: string, choices: readonly [T, ...T[]]): [T, (choice: T) => void] {
  const [chosen, setChosen] = useState<T>(() => choices.find((each) => each === kept(name)) ?? choices[0]);
  const choose = (choice: T) => {
    setChosen(choice);
    try {
      localStorage.setItem(name, choice);
    } catch {
      // A browser that keeps nothing forgets the choice with the page.
    }
  };
  return [chosen, choose];
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // A browser may forbid to keep anything.
    return null;
  }
}
