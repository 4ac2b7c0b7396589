import { type ReactElement, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { moneyText } from '../../../../core/view/amounts.ts';
import { scopeGates } from '../../../../gates/gate-kinds.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import styles from './plan.module.css';
import type { DraftTask, PlanDraft } from './plan-draft.ts';

type PlanTaskProps = {
  state: RunState;
  draft: PlanDraft;
  task: DraftTask;
  index: number;
  onChange(change: Partial<Omit<DraftTask, 'id' | 'isNew'>>): void;
  onMove(by: -1 | 1): void;
  onRemove(): void;
};

/** A task of a plan: what it does, on which files, after which tasks; it can be edited in place. */
export function PlanTask(props: PlanTaskProps): ReactElement {
  const { draft, task, index, onMove, onRemove } = props;
  const [isEditing, setEditing] = useState(task.isNew);
  const name = task.title === '' ? `task ${index + 1}` : task.title;
  return (
    <li className={styles.task} aria-label={name}>
      <div className={styles.text}>
        {isEditing ? <Fields {...props} /> : <Reading {...props} />}
        <Details {...props} />
      </div>
      <div className={styles.buttons}>
        <Button weight="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          {isEditing ? 'Close' : 'Edit'}
        </Button>
        <Button weight="quiet" aria-label={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(-1)}>
          ↑
        </Button>
        <Button
          weight="quiet"
          aria-label={`Move ${name} down`}
          disabled={index === draft.length - 1}
          onClick={() => onMove(1)}
        >
          ↓
        </Button>
        <Button weight="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}

function Reading({ task }: PlanTaskProps): ReactElement {
  return (
    <>
      <h2>{visibleText(task.title)}</h2>
      <p className={styles.description}>{visibleText(task.description)}</p>
    </>
  );
}

function Fields({ draft, task, onChange }: PlanTaskProps): ReactElement {
  const others = draft.filter(({ id }) => id !== task.id);
  const setNeed = (id: string, isNeeded: boolean) =>
    onChange({ needs: isNeeded ? [...task.needs, id] : task.needs.filter((need) => need !== id) });
  return (
    <div className={styles.fields}>
      <label>
        Title
        <input
          value={task.title}
          maxLength={200}
          // biome-ignore lint/a11y/noAutofocus: a new task begins with its title
          autoFocus={task.isNew}
          onChange={({ target }) => onChange({ title: target.value })}
        />
      </label>
      <label>
        Description
        <textarea
          rows={5}
          value={task.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </label>
      <label className={styles.priority}>
        Priority
        <input
          type="number"
          min={-10}
          max={10}
          value={task.priority}
          onChange={({ target }) => onChange({ priority: Number(target.value) })}
        />
      </label>
      {others.length === 0 ? null : (
        <fieldset className={styles.needs}>
          <legend>After</legend>
          {others.map(({ id, title }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={task.needs.includes(id)}
                onChange={({ target }) => setNeed(id, target.checked)}
              />
              {title === '' ? id : title}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

/** Files, dependencies, agent and cost limit of a task on one line. */
function Details({ state, draft, task }: PlanTaskProps): ReactElement | null {
  const spec = state.tasks[task.id]?.spec;
  const files = scopeGates(spec?.gates ?? []).flatMap(({ allow }) => allow);
  const titles = new Map(draft.map(({ id, title }) => [id, title]));
  const needs = task.needs.map((id) => titles.get(id) ?? state.tasks[id]?.spec.title ?? id);
  const facts = [
    ...(needs.length === 0 ? [] : [`after ${needs.join(', ')}`]),
    ...(files.length === 0 ? [] : [`only ${files.join(', ')}`]),
    ...(spec?.agent === undefined ? [] : [`agent ${spec.agent}`]),
    ...(spec?.limits.costUsd === undefined ? [] : [`at most ${moneyText(spec.limits.costUsd)} per attempt`]),
    ...(task.priority === 0 ? [] : [`priority ${task.priority}`]),
  ];
  return facts.length === 0 ? null : <p className="quiet">{visibleText(facts.join(' · '))}</p>;
}
