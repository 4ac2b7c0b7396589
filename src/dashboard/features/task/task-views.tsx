import type { ReactElement, ReactNode } from 'react';
import { moneyText } from '../../../core/view/amounts.ts';
import { scopeGates } from '../../../gates/gate-kinds.ts';
import type { TaskSpec } from '../../../schema/task.ts';
import { lazyView } from '../../ui/feedback/lazy-view.tsx';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import { duration } from '../../ui/text/amounts.tsx';
import { AttemptsView } from './attempts/attempts-view.tsx';
import { GatesView } from './gates/gates-view.tsx';
import type { TaskView } from './task-facts.ts';
import styles from './task-views.module.css';
import { TranscriptView } from './transcript/transcript-view.tsx';
import type { Address } from './use-task-address.ts';

/** The number of placeholder lines while a view is loading. */
const LINES = 12;

const DiffView = lazyView(async () => (await import('./diff/diff-view.tsx')).DiffView, LINES);
const TerminalView = lazyView(async () => (await import('./terminal/terminal-view.tsx')).TerminalView, LINES);

type TaskViewsProps = { address: Address; view: TaskView; reload(): void };

/** The view that the address names. */
export function TaskViews({ address, view, reload }: TaskViewsProps): ReactElement {
  const { task } = view;
  switch (address.view) {
    case 'transcript':
      return <AttemptTranscript address={address} view={view} />;
    case 'attempts':
      return <AttemptsView view={view} reload={reload} />;
    case 'gates':
      return <GatesView run={view.run} task={task} />;
    case 'prompt':
      return <PromptView spec={task.spec} />;
    case 'diff':
      return <DiffView view={view} reload={reload} />;
    case 'terminal':
      return <TerminalView key={task.attempts.length} run={view.run} task={task.spec.key} />;
  }
}

function AttemptTranscript({ address, view }: { address: Address; view: TaskView }): ReactElement {
  const { attempts, phase } = view.task;
  const attempt = attempts.find(({ number }) => number === address.attempt) ?? attempts.at(-1);
  if (attempt === undefined)
    return (
      <EmptyState title="No attempt has started yet">
        {phase.status === 'waiting' ? 'It is waiting for the tasks that it needs.' : 'It starts when an agent is free.'}
      </EmptyState>
    );
  return (
    <TranscriptView
      key={attempt.number}
      which={{ run: view.run, task: view.task.spec.key, attempt: attempt.number }}
      startedAt={attempt.startedAt}
      isLive={attempt.ended === null}
      hasTerminal={attempt.process?.terminal !== undefined}
      row={address.row}
    />
  );
}

/** The prompt of a task and its limits. */
function PromptView({ spec }: { spec: TaskSpec }): ReactElement {
  const scopes = scopeGates(spec.gates);
  return (
    <div className={styles.view}>
      <dl className={styles.facts}>
        <Fact name="Role">{spec.role}</Fact>
        <Fact name="Access">{spec.access === 'write' ? 'read and write' : 'read only'}</Fact>
        <Fact name="Time">
          at most {duration(spec.limits.runtimeMs)}, at most {duration(spec.limits.inactivityMs)} without output
        </Fact>
        {spec.limits.turns === undefined ? null : <Fact name="Turns">at most {spec.limits.turns}</Fact>}
        {spec.limits.costUsd === undefined ? null : <Fact name="Cost">at most {moneyText(spec.limits.costUsd)}</Fact>}
        <Fact name="Attempts">
          {spec.retry.policy === 'none' ? 'one' : `at most ${spec.retry.attempts}`}
          {spec.retry.policy === 'analyze' ? ', each failure is analyzed first' : ''}
        </Fact>
        {scopes.map((scope) => (
          <Fact key={scope.name} name="Files">
            {scope.allow.length === 0 ? 'all' : `only ${scope.allow.join(', ')}`}
            {scope.deny.length === 0 ? '' : `; not ${scope.deny.join(', ')}`}
            {scope.also.length === 0 ? '' : `; also ${scope.also.join(', ')}`}
          </Fact>
        ))}
      </dl>
      {spec.prompt === '' ? (
        <EmptyState title="The prompt is empty" />
      ) : (
        <pre className={styles.prompt}>{spec.prompt}</pre>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
