import type { ReactElement } from 'react';
import { isOpen, type TaskState } from '../../../core/run/state.ts';
import { lateView } from '../../ui/late-view.tsx';
import { Empty } from '../../ui/standing.tsx';
import { AttemptsView } from './attempts/attempts-view.tsx';
import { GateCard } from './gates/gate-card.tsx';
import styles from './gates/gates.module.css';
import { pairGates } from './gates/pair-gates.ts';
import { PromptView } from './prompt-view.tsx';
import type { TaskView } from './task-view.ts';
import { TranscriptView } from './transcript/transcript-view.tsx';
import type { Address } from './use-address.ts';

/** How many lines stand for a view that is still coming. */
const LINES = 12;

const DiffView = lateView(async () => (await import('./diff/diff-view.tsx')).DiffView, LINES);
const TerminalView = lateView(async () => (await import('./terminal/terminal-view.tsx')).TerminalView, LINES);

type TaskViewsProps = { address: Address; view: TaskView; again(): void };

/** The view that the address names. */
export function TaskViews({ address, view, again }: TaskViewsProps): ReactElement {
  const { task } = view;
  switch (address.view) {
    case 'transcript':
      return <Said address={address} view={view} />;
    case 'attempts':
      return <AttemptsView view={view} again={again} />;
    case 'gates':
      return <GatesView task={task} />;
    case 'prompt':
      return <PromptView spec={task.spec} />;
    case 'diff':
      return <DiffView view={view} again={again} />;
    case 'terminal':
      return <TerminalView key={task.attempts.length} run={view.run} task={task.spec.key} />;
  }
}

function Said({ address, view }: { address: Address; view: TaskView }): ReactElement {
  const { attempts, phase } = view.task;
  const attempt = attempts.find(({ number }) => number === address.attempt) ?? attempts.at(-1);
  if (attempt === undefined)
    return (
      <Empty title="No attempt has started yet">
        {phase.status === 'waiting' ? 'It waits for the tasks that it needs.' : 'It starts when an agent is free.'}
      </Empty>
    );
  return (
    <TranscriptView
      key={attempt.number}
      which={{ run: view.run, task: view.task.spec.key, attempt: attempt.number }}
      startedAt={attempt.startedAt}
      isLive={attempt.ended === null}
      row={address.row}
    />
  );
}

/** What each gate found about the task's work, and which gates are still to come. */
function GatesView({ task }: { task: TaskState }): ReactElement {
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
