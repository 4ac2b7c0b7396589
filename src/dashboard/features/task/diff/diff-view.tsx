import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { ApiProblem } from '../../../api/api-error.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { Empty, Skeleton, Trouble } from '../../../ui/feedback/placeholders.tsx';
import { commitOf, type TaskView } from '../task-facts.ts';
import { FileTree } from './changed-files.tsx';
import styles from './diff.module.css';
import { DiffBar } from './diff-bar.tsx';
import { DiffList } from './diff-list.tsx';
import { diffRows, type Mode } from './diff-rows.ts';
import { commented, commentOn, type DraftComment, nextId } from './draft-review.ts';
import { fileTree, inTreeOrder } from './file-tree.ts';
import type { Selection } from './line-selection.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';
import { ReviewPanel } from './review-panel.tsx';
import { useReview } from './use-draft-review.ts';

/** What the task changed, to be read and reviewed. */
export function DiffView({ view, again }: { view: TaskView; again(): void }): ReactElement {
  const { key } = view.task.spec;
  const asked = useOperation('diff-run', { run: view.run, task: key });
  const commit = commitOf(view.task);
  const { data, error } = asked;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other work is another diff
  useEffect(() => {
    if (data !== undefined && commit !== null) asked.again();
  }, [commit]);
  const files = useMemo(() => parseDiff(data?.diff ?? ''), [data?.diff]);
  if (error instanceof ApiProblem && error.code === 'REFUSED')
    return (
      <Empty title="There is no saved work yet">
        The work of an attempt is saved when it ends. Then it can be read and reviewed here.
      </Empty>
    );
  if (error !== undefined) return <Trouble error={error} again={asked.again} />;
  if (data === undefined) return <Skeleton lines={12} />;
  if (files.length === 0) return <Empty title="Nothing was changed">The last attempt changed no file.</Empty>;
  return <DiffReview key={data.to} view={view} commit={data.to} files={files} again={again} />;
}

const MODES: readonly [Mode, Mode] = ['unified', 'split'];

type DiffReviewProps = { view: TaskView; commit: string; files: readonly DiffFile[]; again(): void };

/** A diff with its files at the side, and the review that is being written about it. */
function DiffReview({ view, commit, files, again }: DiffReviewProps): ReactElement {
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
