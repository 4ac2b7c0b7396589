import type { ReactElement } from 'react';
import type { AttemptState } from '../../../../core/run/state.ts';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import styles from './attempts.module.css';

type Ended = NonNullable<AttemptState['ended']>;

/** The outcome of an attempt: summary, failure with evidence, risks, and the saved work. */
export function Outcome({ ended }: { ended: Ended }): ReactElement {
  const { failure, rejected, saved, flags, summary } = ended;
  return (
    <div className={styles.outcome}>
      {summary === '' ? null : (
        <ScrollArea label="Summary" className={styles.summary}>
          {summary}
        </ScrollArea>
      )}
      {rejected === undefined ? null : (
        <p className={styles.failure}>
          <strong>rejected</strong> {rejected}
        </p>
      )}
      {failure === null ? null : (
        <div className={styles.failure}>
          <p>
            <strong>{failure.kind}</strong> {failure.message}
          </p>
          {failure.evidence === undefined ? null : (
            <details>
              <summary>Evidence</summary>
              <ScrollArea label="Evidence" className={styles.evidence}>
                {failure.evidence}
              </ScrollArea>
            </details>
          )}
        </div>
      )}
      {flags.length === 0 ? null : (
        <ul className={styles.flags}>
          {flags.map((flag) => (
            <li key={`${flag.risk} ${flag.detail}`}>
              <span className={styles.severity} data-severity={flag.severity}>
                {flag.severity}
              </span>
              {flag.risk}: {flag.detail}
              {flag.blocking ? <strong> blocks landing</strong> : null}
            </li>
          ))}
        </ul>
      )}
      {saved === null ? null : (
        <dl className={styles.facts}>
          <dt>Saved</dt>
          <dd>
            <Copyable text={saved.ref} />
            {saved.changed ? null : <span className="quiet"> no changes</span>}
          </dd>
          <dt>Restore</dt>
          <dd>
            <Copyable text={`manyhands salvage restore ${saved.ref}`} />
          </dd>
        </dl>
      )}
    </div>
  );
}
