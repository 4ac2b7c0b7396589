import type { ReactElement } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { money } from '../../../ui/amounts.tsx';
import styles from './cost.module.css';

/** What is spent and set aside of what may be spent. */
export function Budget({ state: { spent, reserved, start } }: { state: RunState }): ReactElement {
  const { run, project } = start.config.budget;
  return (
    <section className={styles.budget} aria-label="Budget">
      <p className={styles.figures}>
        <strong>{money(spent.costUsd)}</strong>
        <span className="quiet">
          {run === undefined ? 'spent; no budget was set' : `spent of ${money(run)}`}
          {reserved.costUsd > 0 ? `, ${money(reserved.costUsd)} set aside for what is under way` : ''}
          {project === undefined ? '' : `; the project may spend ${money(project)}`}
        </span>
      </p>
      {run === undefined ? null : (
        <div
          className={styles.bar}
          role="img"
          aria-label={`${Math.round((spent.costUsd / run) * 100)} % of the budget`}
        >
          <span style={{ width: share(spent.costUsd, run) }} data-near={spent.costUsd >= run * 0.8} />
          <span style={{ width: share(Math.min(reserved.costUsd, run - spent.costUsd), run) }} data-reserved="" />
        </div>
      )}
    </section>
  );
}

function share(part: number, whole: number): string {
  return `${Math.min(Math.max(part / whole, 0), 1) * 100}%`;
}
