import type { ReactElement } from 'react';
import type { Checkpoint } from '../../../../schema/report/checkpoint.ts';
import { count } from '../../../ui/text/amounts.tsx';
import styles from './task-header.module.css';

const GROUPS = [
  ['done', 'Done'],
  ['found', 'Found'],
  ['changed', 'Changed'],
  ['remaining', 'Remaining'],
  ['drift', 'Drift'],
] as const;

/** How far a long attempt is: done, found, changed, remaining, drift. */
export function CheckpointPanel({ checkpoint }: { checkpoint: Checkpoint & { attempt: number } }): ReactElement {
  const groups = GROUPS.filter(([key]) => checkpoint[key].length > 0);
  const drift = checkpoint.drift.length;
  return (
    <details className={styles.checkpoint}>
      <summary>
        Checkpoint of attempt {checkpoint.attempt}, after {count(checkpoint.steps, 'step')}
        {drift === 0 ? null : <strong> · {count(drift, 'sign')} of drift</strong>}
      </summary>
      {groups.length === 0 ? <p>Nothing was reported, found or changed yet.</p> : null}
      <dl>
        {groups.map(([key, title]) => (
          <div key={key}>
            <dt>{title}</dt>
            {checkpoint[key].map((line) => (
              <dd key={line}>{line}</dd>
            ))}
          </div>
        ))}
      </dl>
    </details>
  );
}
