import type { ReactElement } from 'react';
import type { AttemptState } from '../../../../core/run/state.ts';
import { checkOutput } from '../../../../core/view/failed-check.ts';
import type { Evidence } from '../../../../schema/gate.ts';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { duration } from '../../../ui/text/amounts.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import { NamedError } from '../../../ui/text/named-error.tsx';
import styles from './attempts.module.css';

type Ended = NonNullable<AttemptState['ended']>;
type OutcomeProps = { number: number; ended: Ended; evidence: readonly Evidence[] };

/** The outcome of an attempt: summary, failure with evidence, risks, and the saved work. */
export function Outcome({ number, ended, evidence }: OutcomeProps): ReactElement {
  const { failure, rejected, saved, flags, summary } = ended;
  return (
    <div className={styles.outcome}>
      {rejected === undefined ? null : (
        <div className={styles.failure}>
          <p>
            <strong>rejected</strong> {rejected}
          </p>
          {evidence.map((each) => (
            <FailedCheck key={each.gate} number={number} evidence={each} />
          ))}
        </div>
      )}
      {failure === null ? null : (
        <div className={styles.failure}>
          <p>
            <strong>{failure.kind}</strong> {failure.message}
          </p>
          {failure.evidence === undefined ? null : (
            <details>
              <summary>Evidence</summary>
              <ScrollArea label={`Evidence of attempt ${number}`} className={styles.evidence}>
                {failure.evidence}
              </ScrollArea>
            </details>
          )}
        </div>
      )}
      {summary === '' ? null : (
        <ScrollArea label={`Summary of attempt ${number}`} className={styles.summary}>
          {summary}
        </ScrollArea>
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

/** The error that a check found, and the end of its output. */
function FailedCheck({ number, evidence }: { number: number; evidence: Evidence }): ReactElement {
  const { lines } = checkOutput(evidence, { duration });
  return (
    <>
      <NamedError evidence={evidence} />
      {lines.length === 0 ? null : (
        <details>
          <summary>Output of {evidence.gate}</summary>
          <ScrollArea label={`Output of ${evidence.gate}, attempt ${number}`} className={styles.evidence}>
            {lines.join('\n')}
          </ScrollArea>
        </details>
      )}
    </>
  );
}
