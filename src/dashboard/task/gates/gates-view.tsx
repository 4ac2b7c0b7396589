import type { ReactElement } from 'react';
import { isOpen, type TaskState } from '../../../core/state.ts';
import { Empty } from '../../look/standing.tsx';
import { GateCard } from './gate-card.tsx';
import styles from './gates.module.css';
import { pairGates } from './pair-gates.ts';

/** What each gate found about the task's work, and which gates are still to come. */
export function GatesView({ task }: { task: TaskState }): ReactElement {
  const gates = pairGates(task.spec.gates, task.evidence);
  if (gates.length === 0)
    return <Empty title="This task has no gates">Its work is not checked before it lands, or it lands nothing.</Empty>;
  return (
    <ul className={styles.gates}>
      {gates.map((gate) => (
        <GateCard key={gate.key} gate={gate} isOver={!isOpen(task)} />
      ))}
    </ul>
  );
}
