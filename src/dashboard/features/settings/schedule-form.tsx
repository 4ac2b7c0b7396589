import { type FormEvent, type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import controls from '../../ui/controls/controls.module.css';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { scheduleInput, UNITS, type Unit } from './schedule-times.ts';

const EMPTY = { task: '', when: '', every: '', unit: 'hours' as Unit, times: '' };

/** Schedules a job: at a time, repeated, or both. */
export function ScheduleForm({ dir }: { dir: string }): ReactElement {
  const [fields, setFields] = useState(EMPTY);
  const change = (more: Partial<typeof EMPTY>) => setFields({ ...fields, ...more });
  const start = useAction('start-run', { done: 'Scheduled', onDone: () => setFields(EMPTY) });
  const { task, ...times } = fields;
  const schedule = scheduleInput(times);
  const isComplete = task.trim() !== '' && Object.keys(schedule).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) start.act({ recipe: 'job', input: { task: task.trim(), ...schedule }, options: { dir } });
  };
  return (
    <Panel title="New schedule">
      <form className={styles.form} onSubmit={submit} aria-label="New schedule">
        <label>
          Task
          <textarea rows={3} value={task} onChange={({ target }) => change({ task: target.value })} />
        </label>
        <div className={styles.actions}>
          <label>
            First start{' '}
            <input
              className={controls.input}
              type="datetime-local"
              value={times.when}
              onChange={({ target }) => change({ when: target.value })}
            />
          </label>
          <NumberField label="Repeat every" value={times.every} onChange={(every) => change({ every })} />
          <select
            className={controls.select}
            aria-label="Unit"
            value={times.unit}
            onChange={({ target }) => change({ unit: unitIn(target.value) })}
          >
            {Object.keys(UNITS).map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </select>
          <NumberField label="Times in total" value={times.times} onChange={(total) => change({ times: total })} />
        </div>
        <p className="quiet">
          It repeats this long after each success; a failure ends it. Agents, checks and budget come from the settings,
          others are chosen on{' '}
          <Link href="/start?recipe=job" className="link">
            New run
          </Link>
          .
        </p>
        <span>
          <Button type="submit" weight="main" busy={start.isBusy} disabled={!isComplete}>
            Schedule
          </Button>
        </span>
      </form>
    </Panel>
  );
}

type NumberFieldProps = { label: string; value: string; onChange(value: string): void };

function NumberField({ label, value, onChange }: NumberFieldProps): ReactElement {
  return (
    <label>
      {label}{' '}
      <input
        className={controls.input}
        type="number"
        min={1}
        step={1}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

function unitIn(value: string): Unit {
  return value === 'minutes' || value === 'days' ? value : 'hours';
}
