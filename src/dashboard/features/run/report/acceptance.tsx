import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Acceptance, Judgement } from '../../../../schema/acceptance.ts';
import { call } from '../../../api/call.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { DisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import styles from './report.module.css';

const VERDICT_STATES: Record<Acceptance['criteria'][number]['verdict'], DisplayState> = {
  pass: 'done',
  warn: 'waiting',
  fail: 'failed',
};
const DECISION_STATES: Record<Judgement['decision'], DisplayState> = {
  approve: 'done',
  revise: 'waiting',
  block: 'failed',
};

/** The acceptance criteria of a run's result, and the judgement. */
export function Verdicts(props: { run: string; revision: string; isEnded: boolean }): ReactElement {
  const { run, revision, isEnded } = props;
  const verify = useQuery({
    queryKey: ['verify-run', run, revision],
    queryFn: ({ signal }) => call('verify-run', { run }, signal),
  });
  const judge = useQuery({
    queryKey: ['judge-run', run, revision],
    queryFn: ({ signal }) => call('judge-run', { run }, signal),
  });
  const recheck = useAction('recheck-run', {
    done: 'Checks finished',
    changes: ['verify-run', 'judge-run', 'report-run'],
  });
  return (
    <div className={styles.side}>
      <Panel
        title="Acceptance"
        actions={
          isEnded && !IS_GUEST ? (
            <Button busy={recheck.isBusy} onClick={() => recheck.act({ run })}>
              Run checks again
            </Button>
          ) : undefined
        }
      >
        <QueryResult query={verify} lines={5}>
          {verify.data === undefined ? null : <Criteria acceptance={verify.data} />}
        </QueryResult>
      </Panel>
      <Panel title="Judgement">
        <QueryResult query={judge} lines={3}>
          {judge.data === undefined ? null : <Decision judgement={judge.data} />}
        </QueryResult>
      </Panel>
    </div>
  );
}

type Query = { error: unknown; data: unknown; refetch(): unknown };

function QueryResult(props: { query: Query; lines: number; children: ReactElement | null }): ReactElement | null {
  const { query, lines, children } = props;
  if (query.error !== null) return <ErrorMessage error={query.error} retry={() => void query.refetch()} />;
  return query.data === undefined ? <Skeleton lines={lines} /> : children;
}

function Criteria({ acceptance: { acceptance, criteria } }: { acceptance: Acceptance }): ReactElement {
  return (
    <>
      <p className={styles.decision}>{acceptance === 'verified' ? 'Verified' : 'Not verified'}</p>
      <ul>
        {criteria.map(({ criterion, verdict, reason }) => (
          <li key={criterion} className={styles.row}>
            <StateMark displayState={VERDICT_STATES[verdict]} bare />
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
        {voices.map(({ by, decision: decided, reasons, missing }) => (
          <li key={by} className={styles.row}>
            <StateMark displayState={DECISION_STATES[decided]} bare />
            <span>
              <strong>{by}</strong> <span className="quiet">{[...reasons, ...missing].join('; ')}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
