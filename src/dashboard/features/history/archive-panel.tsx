import { type ReactElement, useId, useState } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import choice from '../../ui/controls/controls.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { count } from '../../ui/text/amounts.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import styles from './history.module.css';

/** Archives old ended runs into files, after a preview. */
export function ArchivePanel({ onClose }: { onClose(): void }): ReactElement {
  const id = useId();
  const [days, setDays] = useState(30);
  const [isRemoved, setRemoved] = useState(true);
  const [result, setResult] = useState<OperationOutput<'archive'>>();
  const preview = useAction('archive', { onDone: setResult });
  const apply = useAction('archive', { done: 'Archived', onDone: setResult, changes: ['list-runs'] });
  const clean = useAction('clean', { onDone: () => apply.act({ ...input, apply: true }) });
  const input = { olderThanDays: days, remove: isRemoved };
  const items = result?.items ?? [];
  const changeDays = (value: number) => {
    setDays(Math.max(0, value));
    setResult(undefined);
  };
  const changeRemoved = (checked: boolean) => {
    setRemoved(checked);
    setResult(undefined);
  };
  return (
    <Panel title="Archive old runs" actions={<Button onClick={onClose}>Close</Button>}>
      <div className={styles.archive}>
        <p className={styles.bar}>
          <label htmlFor={id}>Ended runs older than</label>
          <input
            id={id}
            type="number"
            min={0}
            className={choice.input}
            style={{ width: 80 }}
            value={days}
            onChange={(event) => changeDays(Number(event.target.value))}
          />
          <span>days</span>
          <label className={styles.box}>
            <input type="checkbox" checked={isRemoved} onChange={(event) => changeRemoved(event.target.checked)} />
            and remove them from the database
          </label>
          <Button busy={preview.isBusy} onClick={() => preview.act({ ...input, apply: false })}>
            Preview
          </Button>
          {result === undefined || result.applied || items.length === 0 ? null : (
            <Button weight="main" busy={apply.isBusy} onClick={() => apply.act({ ...input, apply: true })}>
              Archive {count(items.length, 'run')}
            </Button>
          )}
          {result?.applied === true && isRemoved && items.some(({ removed }) => !removed) ? (
            <Button busy={clean.isBusy || apply.isBusy} onClick={() => clean.act({ olderThanDays: days, apply: true })}>
              Remove their workspaces, then remove them
            </Button>
          ) : null}
        </p>
        {result === undefined ? null : (
          <>
            <p role="status">
              {result.applied
                ? `${count(items.length, 'run')} archived.`
                : `${count(items.length, 'run')} would be archived.`}
            </p>
            <ul className={styles.items}>
              {items.map(({ run, title, file, reason }) => (
                <li key={run}>
                  {title} <span className="quiet">{reason}</span> <Copyable text={file} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Panel>
  );
}
