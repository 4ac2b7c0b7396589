import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { call } from '../../../api/call.ts';
import { Time } from '../../../ui/amounts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useSlowed } from '../../../ui/slowed.ts';
import styles from './summary.module.css';
import { SummaryDetails } from './summary-details.tsx';

/** So often at most the summary is asked for while the run changes. */
const PAUSE_MS = 3_000;

/** The run in a line, as a controller sees it: what it is at, what was done last, what to do next. */
export function Summary(props: { run: string; version: number; isEnded: boolean; isWaiting: boolean }): ReactElement {
  const { run, version, isEnded, isWaiting } = props;
  const [isOpen, setOpen] = useState(false);
  const seen = useSlowed(version, PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['compact-run', run, seen],
    queryFn: ({ signal }) => call('compact-run', { run }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <section className={styles.summary} aria-label="Summary">
      {data === undefined ? null : (
        <>
          {isEnded ? null : <span className={styles.phase}>{data.phase}</span>}
          {data.lastAction === null || isEnded ? null : (
            <span className={styles.last} title={data.lastAction.what}>
              <Time at={data.lastAction.at} />: {data.lastAction.what}
            </span>
          )}
          {data.risks.length === 0 ? null : (
            <span className={styles.risk} title={data.risks.map(({ task, risk }) => `${task}: ${risk}`).join('\n')}>
              {data.risks.length} risky
            </span>
          )}
          {data.recommended.action === 'none' || isWaiting ? null : (
            <span className={styles.next} title={data.recommended.because}>
              Next: {isEnded ? data.recommended.action : data.recommended.because}
              {data.recommended.command === null ? null : <Copyable text={data.recommended.command} />}
            </span>
          )}
          <span className={styles.more}>
            <Button weight="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <Icon name="chevron" size={12} /> What agents did
            </Button>
          </span>
          {isOpen ? <SummaryDetails data={data} /> : null}
        </>
      )}
    </section>
  );
}
