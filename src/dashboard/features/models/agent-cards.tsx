import type { ReactElement, ReactNode } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useOperation } from '../../api/use-operation.ts';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { AgentFix } from '../../ui/run/agent-fix.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Spent, Time } from '../../ui/text/amounts.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import styles from './models.module.css';

type Agent = OperationOutput<'list-models'>[number];

/** Every configured agent with its status, and what to do if it is unavailable. */
export function Agents({ dir }: { dir: string }): ReactElement {
  const { data, error, isLoading, reload } = useOperation('list-models', { dir }, { fresh: true });
  if (isLoading) return <Skeleton lines={10} />;
  if (error !== undefined) return <ErrorMessage error={error} retry={reload} />;
  if (data === undefined || data.length === 0)
    return (
      <EmptyState title="No agent is configured">Add one in the settings, or run mh init in the project.</EmptyState>
    );
  return (
    <div className={styles.cards}>
      {data.map((agent) => (
        <AgentCard key={agent.agent} agent={agent} />
      ))}
    </div>
  );
}

function AgentCard({ agent }: { agent: Agent }): ReactElement {
  const { models, quality, accounts, resting, ccswitch } = agent;
  const displayState = agent.ok ? (agent.restsUntil === null ? 'done' : 'paused') : 'cancelled';
  return (
    <Panel
      title={agent.agent}
      actions={agent.kind === agent.agent ? null : <span className="quiet">{agent.kind}</span>}
    >
      <div className={styles.card}>
        <p>
          <StateMark displayState={displayState} bare />{' '}
          <strong>{agent.ok ? (agent.restsUntil === null ? 'Ready' : 'Rate-limited') : 'Unavailable'}</strong>
          {agent.restsUntil === null ? null : (
            <>
              {' until '}
              <Time at={agent.restsUntil} />
            </>
          )}
        </p>
        <p className="quiet">{agent.detail}</p>
        {agent.nextStep === null ? null : (
          <p className={styles.next}>
            <AgentFix nextStep={agent.nextStep} />
          </p>
        )}
        <dl className={styles.facts}>
          {(['light', 'standard', 'heavy'] as const).map((tier) => (
            <Fact key={tier} name={tier}>
              {models[tier] === null ? (
                <span className="quiet">agent's default</span>
              ) : (
                <Copyable text={models[tier]} />
              )}
            </Fact>
          ))}
          {accounts.map(({ name, restsUntil }) => (
            <Fact key={name} name={`login ${name}`}>
              {restsUntil === null ? (
                'ready'
              ) : (
                <>
                  rate-limited until <Time at={restsUntil} />
                </>
              )}
            </Fact>
          ))}
          {resting.map(({ account, family, until }) => (
            <Fact key={`${account} ${family}`} name={family}>
              rate-limited{account === null ? '' : ` for ${account}`} until <Time at={until} />
            </Fact>
          ))}
          {ccswitch.on ? (
            <Fact name="CC Switch">{ccswitch.note ?? count(ccswitch.profiles.length, 'profile')}</Fact>
          ) : null}
          <Fact name="landed">
            <span className="numbers">
              {quality.attempts === 0 ? 'none yet' : `${quality.landed} of ${count(quality.attempts, 'attempt')}`}
            </span>
          </Fact>
          <Fact name="cost">
            <Spent usd={quality.cost} />
          </Fact>
        </dl>
      </div>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
