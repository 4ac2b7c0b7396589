import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import type { TaskView } from '../task-facts.ts';
import styles from './task-header.module.css';

const SHOWN = 8;

/** Links to related tasks: its needs, its dependents, and the task it serves. */
export function TaskLinks({ view }: { view: TaskView }): ReactElement | null {
  const { spec } = view.task;
  const served = [spec.resolves, spec.analyzes, spec.verifies].filter((key) => key !== undefined);
  if (spec.needs.length + view.dependents.length + served.length === 0) return null;
  return (
    <div className={styles.links}>
      <Keys name="Needs" run={view.run} keys={spec.needs} />
      <Keys name="Needed by" run={view.run} keys={view.dependents} />
      <Keys name="Serves" run={view.run} keys={served} />
    </div>
  );
}

function Keys({ name, run, keys }: { name: string; run: string; keys: readonly string[] }): ReactElement | null {
  const [isAll, setAll] = useState(false);
  if (keys.length === 0) return null;
  const shown = isAll ? keys : keys.slice(0, SHOWN);
  return (
    <p>
      <span className="quiet">{name} </span>
      {shown.map((key) => (
        <Link key={key} href={taskPath(run, key)} className={styles.key}>
          {key}
        </Link>
      ))}
      {keys.length > shown.length ? (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          and {keys.length - shown.length} more
        </button>
      ) : null}
    </p>
  );
}
