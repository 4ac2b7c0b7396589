import { type FormEvent, type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { MAY_ACT } from '../../api/role.ts';
import { useOverview } from '../../api/run-overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import controls from '../../ui/controls/controls.module.css';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/text/amounts.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { localMinute, scheduledRuns } from './schedule-times.ts';

/** The runs of a project that start at a time, and the form that adds one. */
export function Schedules({ dir }: { dir: string }): ReactElement {
  const scheduled = scheduledRuns(useOverview().runs, dir);
  return (
    <div className={styles.list}>
      <Panel title="Schedules">
        {scheduled.length === 0 ? (
          <EmptyState title="Nothing is scheduled">A job that starts at a time, or repeats, appears here.</EmptyState>
        ) : (
          <div className={styles.list}>
            {scheduled.map(({ run, nextAt }) => (
              <Schedule key={`${run.run} ${nextAt}`} run={run} nextAt={nextAt} />
            ))}
          </div>
        )}
      </Panel>
      {MAY_ACT ? <ScheduleForm key={dir} dir={dir} /> : null}
    </div>
  );
}

/** One schedule: when it starts next, and how to change or end it. */
function Schedule({ run: { run, title, done }, nextAt }: { run: RunOverview; nextAt: string }): ReactElement {
  const [when, setWhen] = useState(localMinute(nextAt));
  const change = useAction('reschedule-run', { done: 'The next start is changed' });
  const cancel = useAction('cancel-run', { done: 'Cancelled' });
  const at = new Date(when).getTime();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!Number.isNaN(at)) change.act({ run, at });
  };
  return (
    <article className={styles.card} aria-label={title}>
      <div className={styles.head}>
        <Link href={runPath(run)}>{title}</Link>
        <span className="quiet">
          Starts <Time at={nextAt} />
          {done === 0 ? '' : `, done ${done === 1 ? 'once' : `${done} times`}`}
        </span>
      </div>
      {MAY_ACT ? (
        <form className={styles.actions} onSubmit={submit}>
          <input
            className={controls.input}
            type="datetime-local"
            aria-label={`Next start of ${title}`}
            value={when}
            onChange={({ target }) => setWhen(target.value)}
          />
          <Button type="submit" busy={change.isBusy} disabled={Number.isNaN(at) || when === localMinute(nextAt)}>
            Change
          </Button>
          <ConfirmButton
            question="Cancel this run, and all its repetitions?"
            yes="Cancel the run"
            busy={cancel.isBusy}
            onConfirm={() => cancel.act({ run })}
          >
            Cancel…
          </ConfirmButton>
        </form>
      ) : null}
    </article>
  );
}
