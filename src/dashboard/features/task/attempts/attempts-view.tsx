import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { containmentDetails, containmentText } from '../../../../core/attempt/containment.ts';
import type { AttemptState } from '../../../../core/run/state.ts';
import { withLocalTimes } from '../../../../core/view/amounts.ts';
import { isFailed } from '../../../../core/view/failed-check.ts';
import { taskCost } from '../../../../core/view/task-cost.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { useAction } from '../../../api/use-operation.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/feedback/placeholders.tsx';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { CostText } from '../../../ui/run/cost-text.tsx';
import { attemptDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Duration, Time } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { modelOf, type TaskView } from '../task-facts.ts';
import { Outcome } from './attempt-outcome.tsx';
import styles from './attempts.module.css';

/** All attempts of a task side by side, the newest first. */
export function AttemptsView({ view, reload }: { view: TaskView; reload(): void }): ReactElement {
  const attempts = view.task.attempts.toReversed();
  if (attempts.length === 0)
    return (
      <EmptyState title="No attempt has started yet">The attempts of this task appear here side by side.</EmptyState>
    );
  return (
    <ScrollArea className={styles.columns} label="Attempts side by side">
      {attempts.map((attempt) => (
        <AttemptCard key={attempt.number} view={view} attempt={attempt} reload={reload} />
      ))}
    </ScrollArea>
  );
}

type AttemptCardProps = { view: TaskView; attempt: AttemptState; reload(): void };

/** One attempt: agent, reason for its choice, usage and outcome, in the same order on every card. */
function AttemptCard({ view, attempt, reload }: AttemptCardProps): ReactElement {
  const { spec, phase, attempts } = view.task;
  const { number, ended, usage } = attempt;
  const isLast = number === attempts.length;
  const evidence = isLast ? view.task.evidence : (ended?.evidence ?? []);
  const which = { run: view.run, task: spec.key };
  const isRejected = ended?.rejected !== undefined;
  const displayState = attemptDisplayState(attempt, isLast ? phase.status : null);
  const containment = attempt.process?.containment;
  const used = usage.kind === 'known' ? usage : undefined;
  return (
    <article className={styles.card} aria-label={`Attempt ${number}`}>
      <header className={styles.head}>
        <h2>Attempt {number}</h2>
        <StateMark displayState={displayState} {...(isRejected ? { label: 'Rejected' } : {})} />
      </header>
      {ended === null ? null : <Outcome number={number} ended={ended} evidence={evidence.filter(isFailed)} />}
      <dl className={styles.facts}>
        <Fact name="Agent">{attempt.account === null ? attempt.agent : `${attempt.agent} · ${attempt.account}`}</Fact>
        {attempt.host === undefined ? null : <Fact name="Host">{attempt.host}</Fact>}
        <Fact name="Model">
          {[modelOf(usage) ?? 'unknown', attempt.tier].filter((each) => each !== null).join(' · ')}
        </Fact>
        <Fact name="Reason">{withLocalTimes(attempt.because, attempt.startedAt)}</Fact>
        <Fact name="Started">
          <Time at={attempt.startedAt} />
        </Fact>
        <Fact name={ended === null ? 'Running' : 'Duration'}>
          <Duration from={attempt.startedAt} to={ended?.at ?? null} />
        </Fact>
        <Fact name="Turns">{figure(used?.turns)}</Fact>
        <Fact name="Tokens">
          {used === undefined ? '–' : `${figure(used.inputTokens)} in, ${figure(used.outputTokens)} out`}
        </Fact>
        <Fact name="Cost">
          <CostText cost={taskCost({ attempts: [attempt] })} />
        </Fact>
        {containment === undefined ? null : (
          <Fact name="Containment">
            {containmentText(containment)}
            {containmentDetails(containment).map((detail) => (
              <span key={detail} className={styles.detail}>
                {detail}
              </span>
            ))}
          </Fact>
        )}
      </dl>
      <Warnings which={{ ...which, attempt: number }} warnings={attempt.warnings} reload={reload} />
      <p>
        <Link href={`${taskPath(which.run, which.task)}?attempt=${number}`} className={styles.link}>
          Open transcript
        </Link>
      </p>
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </>
  );
}

function figure(number: number | undefined): string {
  return number === undefined ? '–' : number.toLocaleString('en-US');
}

type WarningsProps = {
  which: { run: string; task: string; attempt: number };
  warnings: AttemptState['warnings'];
  reload(): void;
};

/** Warnings that an attempt may fail; each can be dismissed. */
function Warnings({ which, warnings, reload }: WarningsProps): ReactElement | null {
  const dismiss = useAction('dismiss-warning', { onDone: reload });
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="Warnings">
      {warnings.map(({ sign, message, at }) => (
        <li key={sign}>
          <span>
            {message} <Time at={at} />
          </span>
          <Button
            weight="quiet"
            aria-label={`Dismiss: ${message}`}
            hidden={IS_GUEST}
            busy={dismiss.isBusy}
            onClick={() => dismiss.act({ ...which, sign })}
          >
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  );
}
