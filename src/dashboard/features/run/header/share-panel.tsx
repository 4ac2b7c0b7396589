import { type ReactElement, useState } from 'react';
import type { OperationOutput } from '../../../../operations/all.ts';
import { useAction, useOperation } from '../../../api/use-operation.ts';
import { IS_ON_OWN_MACHINE } from '../../../ui/browser/own-machine.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { Time } from '../../../ui/text/amounts.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import styles from './share-panel.module.css';

const DAY_S = 86_400;
const TIMES = [
  [DAY_S, '1 day'],
  [7 * DAY_S, '7 days'],
  [30 * DAY_S, '30 days'],
] as const;

/** Shares a run read-only by a link, which is shown once, and lists and revokes the shares of the run. */
export function SharePanel({ run }: { run: string }): ReactElement {
  const [expiresSeconds, setExpires] = useState<number>(7 * DAY_S);
  const [made, setMade] = useState<OperationOutput<'share-run'>>();
  const shares = useOperation('list-shares', { run }, { fresh: true });
  const share = useAction('share-run', { onDone: setMade, changes: ['list-shares'] });
  const revoke = useAction('revoke-share', { done: 'Revoked', changes: ['list-shares'] });
  const open = shares.data ?? [];
  return (
    <section className={styles.panel} aria-label="Share this run">
      <p className="quiet">
        Whoever opens the link can read this run, its tasks, transcripts and changes, and nothing else. It works once,
        in one browser.
      </p>
      <div className={styles.row}>
        <label>
          Ends after{' '}
          <select value={expiresSeconds} onChange={({ target }) => setExpires(Number(target.value))}>
            {TIMES.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Button weight="main" busy={share.isBusy} onClick={() => share.act({ run, expiresSeconds })}>
          Create a link
        </Button>
      </div>
      {made === undefined ? null : (
        <p className={styles.link} role="status">
          <Copyable text={`${location.origin}${made.path}`} /> Copy it now; it is not shown again.{' '}
          {IS_ON_OWN_MACHINE
            ? 'It works on this machine only: for others, open this page by an address that they can reach, or use mh share --address.'
            : ''}
        </p>
      )}
      {open.length === 0 ? null : (
        <ul className={styles.list} aria-label="Shares">
          {open.map(({ share: id, createdAt, expiresAt }) => (
            <li key={id} className={styles.row}>
              <code>{id}</code>
              <span className="quiet">
                shared <Time at={createdAt} />, ends <Time at={expiresAt} />
              </span>
              <ConfirmButton
                question="Revoke? Whoever uses it loses access at once."
                yes="Revoke"
                busy={revoke.isBusy}
                onConfirm={() => revoke.act({ share: id })}
              >
                Revoke
              </ConfirmButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
