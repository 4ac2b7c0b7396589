import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { useAction } from '../../../api/use-operation.ts';
import { useKeptDraft } from '../../../ui/browser/kept-draft.ts';
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
  const budget = config.budget.run;
  const { draft, saved, isOutdated, change, discard, endEdit } = useEditedPlan(state, version);
  const [saves, setSaves] = useState(0);
  const save = useAction('edit-plan', {
    done: 'The plan was changed',
    onDone: () => {
      endEdit();
      setSaves(saves + 1);
    },
  });
  const list = useRef<HTMLOListElement>(null);
  const isChanged = !isSamePlan(draft, saved);
  const error = draftError(draft);
  if (!hasWaitingPlan(state)) return <p className="quiet">No plan waits for approval.</p>;
  const hold = state.status.kind === 'held' ? state.status.hold : undefined;
  return (
    <section className={styles.plan} aria-label="Plan">
      <header className={styles.head}>
        <p>
          Waits for your approval: {count(draft.length, 'task')}
          <span className="quiet"> · {budget === undefined ? 'no budget is set' : `at most ${moneyText(budget)}`}</span>
        </p>
        {isChanged ? (
          <div className={styles.buttons}>
            <span role="status">
              {error ?? 'Unsaved changes'}
              {isOutdated && !save.isBusy ? '. The plan was changed concurrently; saving replaces those changes' : ''}
            </span>
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
      <ol ref={list} className={styles.tasks} tabIndex={-1}>
        {draft.map((task, index) => (
          <PlanTask
            key={`${saves} ${task.id}`}
            state={state}
            draft={draft}
            task={task}
            index={index}
            onChange={(changes) => change(withChanged(draft, task.id, changes))}
            onMove={(by) => change(withMoved(draft, task.id, by))}
            onRemove={() => {
              change(withoutTask(draft, task.id));
              list.current?.focus();
            }}
          />
        ))}
      </ol>
      <Button onClick={() => change(withNewTask(draft))}>Add a task</Button>
    </section>
  );
}

/** Unsaved changes, and the plan that they were made to. */
type PlanEdit = { base: PlanDraft; draft: PlanDraft; isSaved: boolean };

type EditedPlan = {
  draft: PlanDraft;
  saved: PlanDraft;
  /** Another plan was saved since the first unsaved change. */
  isOutdated: boolean;
  change(draft: PlanDraft): void;
  discard(): void;
  /** The server has the draft: it is dropped as soon as the plan of the run shows it. */
  endEdit(): void;
};

/** The plan as the user has edited it; a plan that changes on the server replaces only a plan without unsaved changes. */
function useEditedPlan(state: RunState, version: number): EditedPlan {
  const hold = state.status.kind === 'held' ? state.status.hold.id : '';
  const [edit, setEdit] = useKeptDraft<PlanEdit>(`plan ${state.start.run} ${hold}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is mutated in place and changes with its version
  const saved = useMemo(() => planDraft(state), [version]);
  const hasChanged = edit !== undefined && !isSamePlan(edit.base, saved);
  const open = edit?.isSaved === true && hasChanged ? undefined : edit;
  return {
    draft: open?.draft ?? saved,
    saved,
    isOutdated: open !== undefined && hasChanged,
    change: (draft) => setEdit({ base: open?.base ?? saved, draft, isSaved: false }),
    discard: () => setEdit(undefined),
    endEdit: () => setEdit(edit === undefined ? undefined : { ...edit, isSaved: true }),
  };
}
