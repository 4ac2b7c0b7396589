import { type ReactElement, useEffect, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { HoldAnswer } from '../../../ui/run/hold-answer.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { hasWaitingPlan, type ViewProps } from '../run-views.ts';
import styles from './plan.module.css';
import {
  draftError,
  editedTasks,
  isSamePlan,
  type PlanDraft,
  planDraft,
  withChanged,
  withMoved,
  withNewTask,
  withoutTask,
} from './plan-draft.ts';
import { PlanTask } from './plan-task.tsx';

/** A plan that waits for approval: it can be read, changed, approved and rejected. */
export function Plan({ state, version }: ViewProps): ReactElement {
  const { run, config } = state.start;
  const { draft, saved, revision, change, discard } = useDraft(state, version);
  const save = useAction('edit-plan', { done: 'The plan was changed' });
  const isChanged = !isSamePlan(draft, saved);
  const error = draftError(draft);
  if (!hasWaitingPlan(state)) return <p className="quiet">No plan waits for approval.</p>;
  const hold = state.status.kind === 'held' ? state.status.hold : undefined;
  return (
    <section className={styles.plan} aria-label="Plan">
      <header className={styles.head}>
        <p>
          Waits for your approval: {count(draft.length, 'task')}
          <span className="quiet"> · {costText(state, config.budget.run)}</span>
        </p>
        {isChanged ? (
          <div className={styles.buttons}>
            <span role="status">{error ?? 'Unsaved changes'}</span>
            <Button
              weight="main"
              busy={save.isBusy}
              disabled={error !== null}
              onClick={() => save.act({ run, tasks: editedTasks(draft) })}
            >
              Save changes
            </Button>
            <Button weight="quiet" onClick={discard}>
              Discard
            </Button>
          </div>
        ) : (
          <HoldAnswer hold={{ run, task: null, hold: hold?.id, subject: 'plan' }} />
        )}
      </header>
      <ol className={styles.tasks}>
        {draft.map((task, index) => (
          <PlanTask
            key={`${revision} ${task.id}`}
            state={state}
            draft={draft}
            task={task}
            index={index}
            onChange={(changes) => change(withChanged(draft, task.id, changes))}
            onMove={(by) => change(withMoved(draft, task.id, by))}
            onRemove={() => change(withoutTask(draft, task.id))}
          />
        ))}
      </ol>
      <Button onClick={() => change(withNewTask(draft))}>Add a task</Button>
    </section>
  );
}

/** The local draft; a plan that changed on the server replaces it unless the user has edited it. */
function useDraft(
  state: RunState,
  version: number,
): { draft: PlanDraft; saved: PlanDraft; revision: number; change(draft: PlanDraft): void; discard(): void } {
  const [revision, setRevision] = useState(0);
  const [saved, setSaved] = useState(() => planDraft(state));
  const [edited, setEdited] = useState<PlanDraft>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  useEffect(() => {
    const current = planDraft(state);
    if (isSamePlan(current, saved)) return;
    setSaved(current);
    setEdited(undefined);
    setRevision((was) => was + 1);
  }, [version]);
  return { draft: edited ?? saved, saved, revision, change: setEdited, discard: () => setEdited(undefined) };
}

/** The maximum cost, as far as limits and the budget bound it. */
function costText(state: RunState, budget: number | undefined): string {
  const limits = planDraft(state).map(({ id }) => state.tasks[id]?.spec.limits.costUsd);
  const isBounded = limits.length > 0 && limits.every((limit) => limit !== undefined);
  const most = isBounded ? limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0) : undefined;
  const bound = most === undefined ? budget : Math.min(most, budget ?? most);
  return bound === undefined ? 'no budget is set' : `at most ${moneyText(bound)}`;
}
