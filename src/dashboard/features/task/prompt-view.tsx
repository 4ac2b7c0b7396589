import type { ReactElement, ReactNode } from 'react';
import type { TaskSpec } from '../../../schema/task.ts';
import { duration, money } from '../../ui/amounts.tsx';
import { Empty } from '../../ui/standing.tsx';
import styles from './prompt-view.module.css';

/** What the agent is asked for, and within which bounds. */
export function PromptView({ spec }: { spec: TaskSpec }): ReactElement {
  const scopes = spec.gates.flatMap((gate) => (gate.gate === 'scope' ? [gate] : []));
  return (
    <div className={styles.view}>
      <dl className={styles.facts}>
        <Fact name="Role">{spec.role}</Fact>
        <Fact name="Access">{spec.access === 'write' ? 'may change files' : 'only reads'}</Fact>
        <Fact name="Time">
          at most {duration(spec.limits.runtimeMs)}, silent for at most {duration(spec.limits.inactivityMs)}
        </Fact>
        {spec.limits.turns === undefined ? null : <Fact name="Turns">at most {spec.limits.turns}</Fact>}
        {spec.limits.costUsd === undefined ? null : <Fact name="Cost">at most {money(spec.limits.costUsd)}</Fact>}
        <Fact name="Attempts">
          {spec.retry.policy === 'none' ? 'one' : `at most ${spec.retry.attempts}`}
          {spec.retry.policy === 'analyze' ? ', each failure is studied first' : ''}
        </Fact>
        {scopes.map((scope) => (
          <Fact key={scope.name} name="Files">
            {scope.allow.length === 0 ? 'all' : `only ${scope.allow.join(', ')}`}
            {scope.deny.length === 0 ? '' : `; not ${scope.deny.join(', ')}`}
            {scope.also.length === 0 ? '' : `; also ${scope.also.join(', ')}`}
          </Fact>
        ))}
      </dl>
      {spec.prompt === '' ? <Empty title="The prompt is empty" /> : <pre className={styles.prompt}>{spec.prompt}</pre>}
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
