import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import { call } from '../../../api/call.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { useThrottled } from '../../../ui/browser/use-now.ts';
import { DiffReview } from '../../../ui/diff/diff-review.tsx';
import { parseDiff } from '../../../ui/diff/parse-diff.ts';
import { useDraftReview } from '../../../ui/diff/use-draft-review.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import type { ViewProps } from '../run-views.ts';
import type { ChangedByTask } from './review-by-task.ts';
import styles from './run-changes.module.css';
import { RunReviewPanel } from './run-review-panel.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';

/** The diff of a large run is long: it is read again at most this often. */
const PAUSE_MS = 5_000;

/** Everything that a run changed, by file or by task; comments go to the tasks that made the changes. */
export function Changes({ state }: ViewProps): ReactElement {
  const { run } = state.start;
  const tip = useThrottled(state.tip.commit, state.status.kind === 'ended' ? 0 : PAUSE_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ['run-changes', run, tip],
    queryFn: ({ signal }) => call('run-changes', { run }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (error !== null) return <ErrorMessage error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={12} />;
  return (
    <>
      {IS_GUEST ? null : <UnsavedChanges run={run} isRunning={state.counts.running > 0} />}
      {data.diff === '' ? (
        <EmptyState title="Nothing has landed on the branch of this run yet">
          The work of a task appears here when its checks have passed.
        </EmptyState>
      ) : (
        <ChangesOf state={state} to={data.to} diff={data.diff} tasks={data.tasks} />
      )}
    </>
  );
}

type ChangesOfProps = { state: RunState; to: string; diff: string; tasks: readonly ChangedByTask[] };

function ChangesOf({ state, to, diff, tasks }: ChangesOfProps): ReactElement {
  const { run } = state.start;
  const [search, setSearch] = useSearchParams();
  const chosen = tasks.find(({ task }) => task === search.get('task'));
  const all = useMemo(() => parseDiff(diff), [diff]);
  const files = useMemo(
    () => (chosen === undefined ? all : all.filter(({ path, from }) => isChangedBy(chosen, path, from))),
    [all, chosen],
  );
  const draft = useDraftReview(`manyhands review ${run}`, to);
  const choose = (task: string) =>
    setSearch((was) => {
      const next = new URLSearchParams(was);
      if (task === '') next.delete('task');
      else next.set('task', task);
      return next;
    });
  return (
    <section className={styles.changes} aria-label="Changes">
      <DiffReview
        files={files}
        draft={draft}
        viewedKey={`manyhands viewed ${run}`}
        controls={
          tasks.length < 2 ? null : (
            <label className={styles.filter}>
              Changed by
              <select value={chosen?.task ?? ''} onChange={({ target }) => choose(target.value)}>
                <option value="">All tasks</option>
                {tasks.map(({ task, label, title }) => (
                  <option key={task} value={task}>
                    {label}: {title}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      >
        {IS_GUEST ? null : <RunReviewPanel run={run} tasks={tasks} draft={draft} />}
      </DiffReview>
    </section>
  );
}

function isChangedBy({ files }: ChangedByTask, path: string, from: string | null): boolean {
  return files.includes(path) || (from !== null && files.includes(from));
}
