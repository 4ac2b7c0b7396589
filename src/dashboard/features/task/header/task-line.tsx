import type { ReactElement, ReactNode } from 'react';
import type { LiveAttempt } from '../../../../schema/overview.ts';
import { Duration, Money, Time } from '../../../ui/amounts.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { commitOf, costOf, modelOf, short } from '../task-facts.ts';
import type { TaskView } from '../task-view.ts';
import styles from './task-header.module.css';

type TaskLineProps = { view: TaskView; live: LiveAttempt | undefined; mark: ReactNode };

/** State, who does it, how long, what it cost and what came of it, on one line. */
export function TaskLine({ view, live, mark }: TaskLineProps): ReactElement {
  const { spec, attempts } = view.task;
  const last = attempts.at(-1);
  const commit = commitOf(view.task);
  const agent = [last?.agent ?? spec.agent, last?.account, last?.tier ?? spec.tier, last && modelOf(last.usage)];
  const cost = live === undefined ? costOf(view.task) : (costOf(view.task) ?? live.costUsd);
  return (
    <dl className={styles.line}>
      <div className={styles.fact}>
        <dt className="hidden-words">State</dt>
        <dd>{mark}</dd>
      </div>
      <Fact name="Role">{spec.role}</Fact>
      <Fact name="Agent">{agent.filter((each) => each != null).join(' · ') || 'not chosen yet'}</Fact>
      {last === undefined ? null : (
        <Fact name={last.ended === null ? 'Running for' : 'Took'}>
          <Duration from={last.startedAt} to={last.ended?.at ?? null} />
        </Fact>
      )}
      {last === undefined ? null : (
        <Fact name="Started">
          <Time at={last.startedAt} />
        </Fact>
      )}
      <Fact name="Cost">
        <Money usd={cost} />
      </Fact>
      {commit === null ? null : (
        <Fact name="Commit">
          <Copyable text={commit} shown={short(commit)} />
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
