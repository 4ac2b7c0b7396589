import type { ReactElement } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { AgentFix } from '../../ui/run/agent-fix.tsx';
import styles from './start.module.css';

type Model = OperationOutput<'list-models'>[number];

type AgentChoiceProps = {
  agents: readonly Model[];
  /** The agents that the user selected; undefined means all that are available. */
  selected: readonly string[] | undefined;
  onSelect(agents: string[] | undefined): void;
};

/** Selects the agents of a run: those that are available are selected, the others show what is missing. One stays selected. */
export function AgentChoice({ agents, selected, onSelect }: AgentChoiceProps): ReactElement | null {
  if (agents.length === 0) return null;
  const available = agents.filter(({ ok }) => ok).map(({ agent }) => agent);
  const current = selected ?? available;
  const toggle = (agent: string, isOn: boolean) => {
    const next = isOn ? [...current, agent] : current.filter((name) => name !== agent);
    const isDefault = next.length === available.length && available.every((name) => next.includes(name));
    onSelect(isDefault ? undefined : next);
  };
  const isOnly = (agent: string) => current.length === 1 && current[0] === agent;
  return (
    <fieldset className={styles.agents}>
      <legend className={styles.name}>Agents</legend>
      {agents.map(({ agent, ok, detail, nextStep }) => (
        <div key={agent} className={styles.agent} data-available={ok}>
          <label>
            <input
              type="checkbox"
              checked={current.includes(agent)}
              disabled={!ok || isOnly(agent)}
              onChange={({ target }) => toggle(agent, target.checked)}
            />{' '}
            <strong>{agent}</strong> <span className="quiet">{detail}</span>
          </label>
          {ok || nextStep === null ? null : (
            <p className="quiet">
              <AgentFix nextStep={nextStep} />
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}
