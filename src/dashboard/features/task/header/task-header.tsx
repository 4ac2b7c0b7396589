import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { runPath } from '../../../ui/paths.ts';
import { lookOfTask } from '../../../ui/state.ts';
import { StateMark } from '../../../ui/state-mark.tsx';
import { reasonOf } from '../task-facts.ts';
import type { TaskView } from '../task-view.ts';
import { TaskActions } from './task-actions.tsx';
import styles from './task-header.module.css';
import { TaskLine } from './task-line.tsx';
import { TaskLinks } from './task-links.tsx';

type TaskHeaderProps = { view: TaskView; live: LiveAttempt | undefined; again(): void; onContinue(): void };

/** What the task is, how it stands and why, and what can be done about it. */
export function TaskHeader({ view, live, again, onContinue }: TaskHeaderProps): ReactElement {
  const { spec, phase } = view.task;
  const reason = reasonOf(phase);
  const next = phase.status === 'blocked' ? phase.nextStep : null;
  return (
    <header className={styles.header}>
      <nav className={styles.trail} aria-label="Where this is">
        <Link href={runPath(view.run)}>{view.title}</Link>
        <span aria-hidden="true">/</span>
        <Copyable text={spec.key} />
      </nav>
      <div className={styles.top}>
        <h1 className={styles.title}>{spec.title}</h1>
        <TaskActions view={view} again={again} onContinue={onContinue} />
      </div>
      <TaskLine view={view} live={live} mark={<StateMark look={lookOfTask(phase.status, view.stale)} />} />
      {reason === null ? null : (
        <p className={styles.reason} data-urgent={phase.status === 'held' || phase.status === 'blocked'}>
          {reason}
          {next === null ? null : <span className={styles.next}>Next step: {next}</span>}
        </p>
      )}
      <TaskLinks view={view} />
    </header>
  );
}
