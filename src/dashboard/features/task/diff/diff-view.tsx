import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { commitOf, type TaskView } from '../task-facts.ts';
import { FileTree } from './changed-files.tsx';
import styles from './diff.module.css';
import { DiffBar } from './diff-bar.tsx';
import { DiffList } from './diff-list.tsx';
import { type DiffLayout, diffRows } from './diff-rows.ts';
import { commentOn, type DraftComment, nextId, withComment } from './draft-review.ts';
import { fileTree, inTreeOrder } from './file-tree.ts';
import type { Selection } from './line-selection.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';
import { ReviewPanel } from './review-panel.tsx';
import { useDraftReview } from './use-draft-review.ts';

/** The diff of a task, for review. */
export function DiffView({ view, reload }: { view: TaskView; reload(): void }): ReactElement {
  const { key } = view.task.spec;
  const query = useOperation('diff-run', { run: view.run, task: key });
  const commit = commitOf(view.task);
  const { data, error } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new commit has a new diff
  useEffect(() => {
    if (data !== undefined && commit !== null) query.reload();
  }, [commit]);
  const files = useMemo(() => parseDiff(data?.diff ?? ''), [data?.diff]);
  if (error instanceof ApiError && error.code === 'REFUSED')
    return (
      <EmptyState title="No saved work yet">
        The work of an attempt is saved when it ends. You can review it here then.
      </EmptyState>
    );
  if (error !== undefined) return <ErrorMessage error={error} retry={query.reload} />;
  if (data === undefined) return <Skeleton lines={12} />;
  if (files.length === 0) return <EmptyState title="No changes">The last attempt changed no files.</EmptyState>;
  return <DiffReview key={data.to} view={view} commit={data.to} files={files} reload={reload} />;
}

const LAYOUTS: readonly [DiffLayout, DiffLayout] = ['unified', 'split'];

type DiffReviewProps = { view: TaskView; commit: string; files: readonly DiffFile[]; reload(): void };

/** A diff with its file tree and the unsent review. */
function DiffReview({ view, commit, files, reload }: DiffReviewProps): ReactElement {
  const { key } = view.task.spec;
  const [layout, setLayout] = useStoredChoice('manyhands diff', LAYOUTS);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Selection & { id?: string }>();
  const commentDraft = useRef('');
  const [scrollTarget, setScrollTarget] = useState<{ key: string }>();
  const draft = useDraftReview(`manyhands review ${view.run} ${key}`, commit);
  const { review, change } = draft;
  const tree = useMemo(() => fileTree(files), [files]);
  const ordered = useMemo(() => inTreeOrder(tree), [tree]);
  const { comments } = review;
  const rows = useMemo(
    () => diffRows({ files: ordered, layout, toggled, comments, editing }),
    [ordered, layout, toggled, comments, editing],
  );
  const toggle = (path: string) =>
    setToggled((was) => new Set(was.has(path) ? [...was].filter((each) => each !== path) : [...was, path]));
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
  return (
    <div className={styles.view}>
      <DiffBar files={files} layout={layout} onLayout={setLayout} />
      <div className={styles.parts}>
        <FileTree tree={tree} comments={comments} onChoose={(path) => setScrollTarget({ key: path })} />
        <DiffList
          rows={rows}
          scrollTarget={scrollTarget}
          draft={commentDraft}
          actions={{ toggle, edit, save, remove, select: setEditing, stop }}
        />
      </div>
      <ReviewPanel view={view} draft={draft} reload={reload} />
    </div>
  );
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
