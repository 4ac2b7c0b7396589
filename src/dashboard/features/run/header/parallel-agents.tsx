import type { ReactElement } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './run-actions.module.css';

const MAX = 150;

/** The limit of parallel agents; it can be changed while the run is active. */
export function AgentsAtOnce({ run, now }: { run: string; now: number }): ReactElement {
  const limit = useAction('limit-run');
  const set = (agents: number) => {
    if (Number.isInteger(agents) && agents >= 1 && agents <= MAX && agents !== now) limit.act({ run, agents });
  };
  return (
    <span className={styles.group}>
      <label htmlFor="agents-at-once" className="quiet">
        Parallel agents
      </label>
      <Button weight="quiet" aria-label="Fewer agents" disabled={now <= 1} onClick={() => set(now - 1)}>
        <Icon name="minus" size={12} />
      </Button>
      <input
        id="agents-at-once"
        key={now}
        className={styles.number}
        type="number"
        min={1}
        max={MAX}
        defaultValue={now}
        onBlur={({ target }) => set(target.valueAsNumber)}
        onKeyDown={({ key, currentTarget }) => (key === 'Enter' ? set(currentTarget.valueAsNumber) : undefined)}
      />
      <Button weight="quiet" aria-label="More agents" disabled={now >= MAX} onClick={() => set(now + 1)}>
        <Icon name="plus" size={12} />
      </Button>
    </span>
  );
}
