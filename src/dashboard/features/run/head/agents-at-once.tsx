import type { ReactElement } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './agents-at-once.module.css';

const MOST = 150;

/** How many agents may be at work at once; it can be changed while the run goes on. */
export function AgentsAtOnce({ run, now }: { run: string; now: number }): ReactElement {
  const limit = useAction('limit-run');
  const set = (agents: number) => {
    if (Number.isInteger(agents) && agents >= 1 && agents <= MOST && agents !== now) limit.act({ run, agents });
  };
  return (
    <span className={styles.group}>
      <label htmlFor="agents-at-once" className="quiet">
        Agents at once
      </label>
      <Button weight="quiet" aria-label="One agent less" disabled={now <= 1} onClick={() => set(now - 1)}>
        <Icon name="minus" size={12} />
      </Button>
      <input
        id="agents-at-once"
        key={now}
        className={styles.number}
        type="number"
        min={1}
        max={MOST}
        defaultValue={now}
        onBlur={({ target }) => set(target.valueAsNumber)}
        onKeyDown={({ key, currentTarget }) => (key === 'Enter' ? set(currentTarget.valueAsNumber) : undefined)}
      />
      <Button weight="quiet" aria-label="One agent more" disabled={now >= MOST} onClick={() => set(now + 1)}>
        <Icon name="plus" size={12} />
      </Button>
    </span>
  );
}
