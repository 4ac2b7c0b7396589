import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Acceptance, Judgement } from '../../../../schema/acceptance.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Skeleton, Trouble } from '../../../ui/feedback/placeholders.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { Look } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import styles from './report.module.css';

const LOOKS: Record<Acceptance['criteria'][number]['verdict'], Look> = {
  pass: 'done',
  warn: 'waiting',
  fail: 'failed',
};
const DECISIONS: Record<Judgement['decision'], Look> = { approve: 'done', revise: 'waiting', block: 'failed' };

/** Whether the result can be accepted, point by point, and what is decided about it. */
export function Verdicts(props: { run: string; stand: string; isEnded: boolean }): ReactElement {
  const { run, stand, isEnded } = props;
  const verify = useQuery({
    queryKey: ['verify-run', run, stand],
    queryFn: ({ signal }) => call('verify-run', { run }, signal),
  });
  const judge = useQuery({
    queryKey: ['judge-run', run, stand],
    queryFn: ({ signal }) => call('judge-run', { run }, signal),
  });
  const recheck = useAction('recheck-run', {
    done: 'The checks ran again',
    changes: ['verify-run', 'judge-run', 'report-run'],
  });
  return (
    <div className={styles.side}>
      <Panel
        title="Acceptance"
        actions={
          isEnded ? (
            <Button busy={recheck.isBusy} onClick={() => recheck.act({ run })}>
              Check again
            </Button>
          ) : undefined
        }
      >
        <Standing query={verify} lines={5}>
          {verify.data === undefined ? null : <Criteria acceptance={verify.data} />}
        </Standing>
      </Panel>
      <Panel title="Judgement">
        <Standing query={judge} lines={3}>
          {judge.data === undefined ? null : <Decision judgement={judge.data} />}
        </Standing>
      </Panel>
    </div>
  );
}

type Asked = { error: unknown; data: unknown; refetch(): unknown };

function Standing(props: { query: Asked; lines: number; children: ReactElement | null }): ReactElement | null {
  const { query, lines, children } = props;
  if (query.error !== null) return <Trouble error={query.error} again={() => void query.refetch()} />;
  return query.data === undefined ? <Skeleton lines={lines} /> : children;
}

function Criteria({ acceptance: { acceptance, criteria } }: { acceptance: Acceptance }): ReactElement {
  return (
    <>
      <p className={styles.decision}>{acceptance === 'verified' ? 'Verified' : 'Not accepted yet'}</p>
      <ul>
        {criteria.map(({ criterion, verdict, reason }) => (
          <li key={criterion} className={styles.row}>
            <StateMark look={LOOKS[verdict]} bare />
            <span>
              <strong>{criterion}</strong> <span className="quiet">{reason}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Decision({ judgement: { decision, voices } }: { judgement: Judgement }): ReactElement {
  return (
    <>
      <p className={styles.decision}>{decision}</p>
      <ul>
        {voices.map(({ by, decision: said, reasons, missing }) => (
          <li key={by} className={styles.row}>
            <StateMark look={DECISIONS[said]} bare />
            <span>
              <strong>{by}</strong> <span className="quiet">{[...reasons, ...missing].join('; ')}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
