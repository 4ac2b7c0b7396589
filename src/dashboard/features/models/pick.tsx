import type { ReactElement } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Time } from '../../ui/amounts.tsx';
import { Skeleton, Trouble } from '../../ui/standing.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './models.module.css';

/** Why a role would get this agent: everybody who was thought of, and what speaks for or against each. */
export function Pick({ dir, role }: { dir: string; role: string }): ReactElement {
  const { data, error, isLoading, again } = useOperation('pick-model', { dir, role }, { fresh: true });
  if (isLoading) return <Skeleton lines={4} />;
  if (error !== undefined) return <Trouble error={error} again={again} />;
  if (data === undefined) return <Skeleton lines={4} />;
  return (
    <>
      <p className={styles.because}>
        <strong>{data.agent ?? 'Nobody'}</strong>
        {data.model === null ? '' : ` with ${data.model}`}: {data.because}
      </p>
      <Table
        label={`Candidates for ${role}`}
        rows={data.candidates}
        keyOf={({ agent }) => agent}
        columns={[
          { title: 'Agent', cell: ({ agent }) => agent },
          { title: 'Stands', cell: ({ ok }) => <StateMark look={ok ? 'done' : 'failed'} bare /> },
          { title: 'Score', isNumber: true, cell: ({ score }) => score.toFixed(2) },
          { title: 'Results', isNumber: true, cell: ({ results }) => results },
          { title: 'Rests until', cell: ({ restsUntil }) => (restsUntil === null ? '–' : <Time at={restsUntil} />) },
          {
            title: 'Because',
            cell: ({ because, detail }) => (
              <span className={styles.wide}>
                {because} <span className="quiet">{detail}</span>
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
