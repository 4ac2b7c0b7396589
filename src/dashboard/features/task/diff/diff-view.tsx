import { type ReactElement, useMemo } from 'react';
import { IS_GUEST } from '../../../api/role.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { DiffReview } from '../../../ui/diff/diff-review.tsx';
import { type DiffFile, parseDiff } from '../../../ui/diff/parse-diff.ts';
import { useDraftReview } from '../../../ui/diff/use-draft-review.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { commitOf, type TaskView } from '../task-facts.ts';
import { ReviewPanel } from './review-panel.tsx';

/** The diff of a task, for review. */
export function DiffView({ view, reload }: { view: TaskView; reload(): void }): ReactElement {
  const { key } = view.task.spec;
  const commit = commitOf(view.task);
  const query = useOperation('diff-run', { run: view.run, task: key }, { state: commit, enabled: commit !== null });
  const { data, error } = query;
  const files = useMemo(() => parseDiff(data?.diff ?? ''), [data?.diff]);
  if (commit === null)
    return (
      <EmptyState title="No saved work yet">
        The work of an attempt is saved when it ends. You can review it here then.
      </EmptyState>
    );
  if (error !== undefined) return <ErrorMessage error={error} retry={query.reload} />;
  if (data === undefined) return <Skeleton lines={12} />;
  if (files.length === 0) return <EmptyState title="No changes">The last attempt changed no files.</EmptyState>;
  return <TaskReview key={data.to} view={view} commit={data.to} files={files} reload={reload} />;
}

type TaskReviewProps = { view: TaskView; commit: string; files: readonly DiffFile[]; reload(): void };

function TaskReview({ view, commit, files, reload }: TaskReviewProps): ReactElement {
  const { spec, phase } = view.task;
  const work = `${view.run} ${spec.key}`;
  const draft = useDraftReview(`manyhands review ${work}`, commit);
  const held = useMemo(() => new Set(phase.status === 'held' ? phase.hold.files : []), [phase]);
  return (
    <DiffReview files={files} draft={draft} held={held} viewedKey={`manyhands viewed ${work}`}>
      {IS_GUEST ? null : <ReviewPanel view={view} draft={draft} reload={reload} />}
    </DiffReview>
  );
}
