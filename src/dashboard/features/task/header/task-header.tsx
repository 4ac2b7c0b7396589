import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { containmentDetails, containmentText } from '../../../../core/attempt/containment.ts';
import type { CurrentActivity } from '../../../../core/view/activity.ts';
import { taskCost } from '../../../../core/view/task-cost.ts';
import { taskLabel } from '../../../../core/view/task-label.ts';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { runPath } from '../../../ui/browser/page-paths.ts';
import { NextStepLine } from '../../../ui/run/attention-actions.tsx';
import { CostText } from '../../../ui/run/cost-text.tsx';
import { CurrentSteps } from '../../../ui/run/live-agent.tsx';
import { taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Duration, Money, Time } from '../../../ui/text/amounts.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import { commitOf, modelOf, reasonOf, short, type TaskView } from '../task-facts.ts';
import { TaskActions } from './task-actions.tsx';
import { HeldWork, isAskedAgain, TaskQuestions } from './task-decisions.tsx';
import styles from './task-header.module.css';
import { TaskLinks } from './task-links.tsx';

type TaskHeaderProps = {
  view: TaskView;
  live: LiveAttempt | undefined;
  current: CurrentActivity | undefined;
  isDiffShown: boolean;
  reload(): void;
  onMessage(): void;
};

/** The title, state, reason, facts and actions of a task. */
export function TaskHeader(props: TaskHeaderProps): ReactElement {
  const { view, live, current, isDiffShown, reload, onMessage } = props;
  const { spec, phase } = view.task;
  const reason = isAskedAgain(view) ? null : reasonOf(phase);
  const next = phase.status === 'blocked' ? phase.nextStep : null;
  return (
    <header className={styles.header}>
      <nav className={styles.trail} aria-label="Breadcrumb">
        <Link href={runPath(view.run)}>{view.title}</Link>
        <span aria-hidden="true">/</span>
        <Copyable text={taskLabel(spec)} />
      </nav>
      <div className={styles.top}>
        <h1 className={styles.title}>{visibleText(spec.title)}</h1>
        <TaskActions view={view} reload={reload} onMessage={onMessage} />
      </div>
      <TaskFacts
        view={view}
        live={live}
        mark={<StateMark displayState={taskDisplayState(phase.status, view.stale)} />}
      />
      <CurrentSteps current={current} task={spec.key} />
      {reason === null ? null : (
        <p className={styles.reason} data-urgent={phase.status === 'held' || phase.status === 'blocked'}>
          {visibleText(reason)}
          {next === null ? null : (
            <span className={styles.next}>
              Next step: <NextStepLine step={next} run={view.run} />
            </span>
          )}
        </p>
      )}
      <TaskQuestions view={view} />
      <HeldWork view={view} isDiffShown={isDiffShown} reload={reload} />
      <TaskLinks view={view} />
    </header>
  );
}

type TaskFactsProps = { view: TaskView; live: LiveAttempt | undefined; mark: ReactNode };

/** State, role, agent, duration, cost and commit of a task on one line. */
function TaskFacts({ view, live, mark }: TaskFactsProps): ReactElement {
  const { spec, attempts } = view.task;
  const last = attempts.at(-1);
  const commit = commitOf(view.task);
  const containment = last?.process?.containment;
  const agent = [last?.agent ?? spec.agent, last?.account, last?.tier ?? spec.tier, last && modelOf(last.usage)];
  const cost = taskCost(view.task);
  return (
    <dl className={styles.line}>
      <div className={styles.fact}>
        <dt className="visually-hidden">State</dt>
        <dd>{mark}</dd>
      </div>
      <Fact name="Role">{spec.role}</Fact>
      <Fact name="Agent">{agent.filter((each) => each != null).join(' · ') || 'not assigned yet'}</Fact>
      {last?.host === undefined ? null : <Fact name="Host">{last.host}</Fact>}
      {last === undefined ? null : (
        <Fact name={last.ended === null ? 'Running for' : 'Duration'}>
          <Duration from={last.startedAt} to={last.ended?.at ?? null} />
        </Fact>
      )}
      {last === undefined ? null : (
        <Fact name="Started">
          <Time at={last.startedAt} />
        </Fact>
      )}
      <Fact name="Cost">
        {cost.costUsd === 0 && live !== undefined ? <Money usd={live.costUsd} /> : <CostText cost={cost} />}
      </Fact>
      {commit === null ? null : (
        <Fact name="Commit">
          <Copyable text={commit} shown={short(commit)} />
        </Fact>
      )}
      {containment === undefined ? null : (
        <Fact name="Containment">
          <span title={containmentDetails(containment).join('\n')}>{containmentText(containment)}</span>
        </Fact>
      )}
      {spec.track === undefined ? null : <Fact name="Track">{spec.track}</Fact>}
    </dl>
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
