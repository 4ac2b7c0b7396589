import type { ReactElement } from 'react';
import type { AttemptState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Time } from '../../../ui/amounts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './attempts.module.css';

type WarningsProps = {
  which: { run: string; task: string; attempt: number };
  warnings: AttemptState['warnings'];
  again(): void;
};

/** Signs that an attempt may be in trouble; each can be dismissed once it was seen. */
export function Warnings({ which, warnings, again }: WarningsProps): ReactElement | null {
  const dismiss = useAction('dismiss-warning', { onDone: again });
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
