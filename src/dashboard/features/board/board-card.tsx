import type { HTMLAttributes, ReactElement } from 'react';
import { Link } from 'wouter';
import { hasCost } from '../../../core/view/cost-text.ts';
import { decisionPath } from '../../../core/view/decision-path.ts';
import { isInterrupted } from '../../../core/view/open-run.ts';
import type { BoardColumn, BoardTask, RunOverview } from '../../../schema/overview.ts';
import { folderName, runPath, taskPath } from '../../ui/browser/page-paths.ts';
import {
  type DisplayState,
  runDisplayState,
  STATE_LABELS,
  stateColor,
  taskDisplayState,
} from '../../ui/state/display-state.ts';
import { StateBar } from '../../ui/state/state-bar.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Spent, Time } from '../../ui/text/amounts.tsx';
import styles from './board.module.css';
import type { Card } from './board-columns.ts';

type BoardCardProps = HTMLAttributes<HTMLLIElement> & { card: Card; column: BoardColumn };

/** A run or a task; one that waits leads to the page of the decision. */
export function BoardCard({ card: { run, task }, column, children, ...rest }: BoardCardProps): ReactElement {
  const displayState = task === undefined ? runDisplayState(run) : displayStateOf(run, task);
  return (
    <li {...rest} className={styles.card} style={{ borderLeftColor: stateColor(displayState) }}>
      {task === undefined ? (
        <RunDetails run={run} displayState={displayState} column={column} />
      ) : (
        <TaskDetails run={run} task={task} displayState={displayState} column={column} />
      )}
      {children}
    </li>
  );
}

type RunDetailsProps = { run: RunOverview; displayState: DisplayState; column: BoardColumn };

function RunDetails({ run, displayState, column }: RunDetailsProps): ReactElement {
  const [waiting] = run.attention;
  return (
    <>
      <Link href={waiting === undefined ? runPath(run.run) : decisionPath({ ...waiting, run: run.run })}>
        {run.title}
      </Link>
      <p className={styles.about} data-bare={isNamed(displayState, column)}>
        <StateMark displayState={displayState} bare={isNamed(displayState, column)} />
        <span>
          {folderName(run.project)} · {run.recipe}
        </span>
      </p>
      {waiting === undefined ? null : <p className={styles.reason}>{waiting.reason}</p>}
      {run.failure === null ? null : <p className={styles.reason}>{run.failure.error ?? run.failure.reason}</p>}
      {run.live.slice(0, 2).map(({ task, agent, title }) => (
        <p key={task} className={styles.reason}>
          {agent}: {title}
        </p>
      ))}
      <StateBar counts={run.counts} total={run.tasks} />
      <p className={styles.figures}>
        <span className="numbers">
          {run.done.toLocaleString('en-US')} / {run.tasks.toLocaleString('en-US')}
        </span>
        {hasCost(run) ? <Spent usd={run.cost} unknown={run.unknownUsage} /> : null}
        <Time at={displayState === 'scheduled' ? (run.nextAt ?? run.updatedAt) : run.updatedAt} />
      </p>
    </>
  );
}

type TaskDetailsProps = RunDetailsProps & { task: BoardTask };

function TaskDetails({ run, task, displayState, column }: TaskDetailsProps): ReactElement {
  const live = run.live.find((each) => each.task === task.task);
  const { title, track, agent, attempts, what, priority } = task;
  const text = task.reason ?? live?.activity ?? (isQueued(task) ? reasonOfRun(run) : null);
  const path = what === null ? taskPath(run.run, task.task) : decisionPath({ run: run.run, task: task.task, what });
  return (
    <>
      <Link href={path}>{title}</Link>
      <p className={styles.about} data-bare={isNamed(displayState, column)}>
        <StateMark displayState={displayState} bare={isNamed(displayState, column)} />
        <span>
          {folderName(run.project)}
          {title === run.title ? null : (
            <>
              {' · '}
              <Link href={runPath(run.run)}>{run.title}</Link>
            </>
          )}
          {track === null ? null : <> · track {track}</>}
        </span>
      </p>
      {text === null ? null : <p className={styles.reason}>{text}</p>}
      <p className={styles.figures}>
        <span>
          {agent ?? 'any agent'}
          {attempts > 1 ? ` · attempt ${attempts}` : ''}
          {priority === 0 ? '' : ` · priority ${priority}`}
        </span>
        <Time at={displayState === 'scheduled' ? (run.nextAt ?? task.at) : task.at} />
      </p>
    </>
  );
}

function isQueued({ status }: BoardTask): boolean {
  return status === 'waiting' || status === 'ready';
}

/** Why no task of the run starts. */
function reasonOfRun({ attention, waitsFor }: RunOverview): string | null {
  return attention.find(({ task }) => task === null)?.reason ?? waitsFor?.text ?? null;
}

/** A question of a running agent waits for an answer; an attempt that no engine runs is interrupted. */
function displayStateOf(run: RunOverview, { status, what }: BoardTask): DisplayState {
  if (what !== null) return 'waiting';
  const displayState = taskDisplayState(status);
  if (displayState === 'queued' && runDisplayState(run) === 'scheduled') return 'scheduled';
  return displayState === 'running' && isInterrupted(run) ? 'interrupted' : displayState;
}

/** Whether the title of the column is the label of the state. */
function isNamed(displayState: DisplayState, column: BoardColumn): boolean {
  return STATE_LABELS[displayState].toLowerCase() === column;
}
