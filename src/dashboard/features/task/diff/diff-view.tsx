import { type ReactElement, useEffect, useMemo } from 'react';
import { ApiProblem } from '../../../api/problem.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { Empty, Skeleton, Trouble } from '../../../ui/standing.tsx';
import { commitOf } from '../task-facts.ts';
import type { TaskView } from '../task-view.ts';
import { DiffReview } from './diff-review.tsx';
import { parseDiff } from './parse.ts';

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
