import type { ReactElement } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import type { CommandLine } from './equivalent-command.ts';
import styles from './start.module.css';

type StartPanelProps = {
  isRehearsal: boolean;
  onRehearse(isOn: boolean): void;
  command: CommandLine | undefined;
  isBusy: boolean;
  issues: number;
  error: unknown;
  onStart(): void;
};

/** The start button, the rehearsal switch, and the equivalent command. */
export function StartPanel(props: StartPanelProps): ReactElement {
  const { isRehearsal, command, issues, error } = props;
  return (
    <Panel title="Start">
      <div className={styles.start}>
        <label className={styles.rehearse} data-on={isRehearsal}>
          <input type="checkbox" checked={isRehearsal} onChange={(event) => props.onRehearse(event.target.checked)} />
          <span>
            <span className={styles.title}>Rehearse (free)</span>
            <span className={styles.summary}>
              A scripted scenario replaces the model. Workspaces, checks and commits are real.
            </span>
          </span>
        </label>
        <Button weight="main" busy={props.isBusy} onClick={props.onStart}>
          {props.isBusy ? 'Starting…' : isRehearsal ? 'Start rehearsal' : 'Start'}
        </Button>
        <div role="status">
          {issues === 0 ? null : <p className={styles.issue}>Nothing was started. Fix the marked fields.</p>}
        </div>
        {error === undefined ? null : <ErrorMessage error={error} />}
        <div>
          <p className="quiet">Equivalent command</p>
          {command === undefined ? (
            <p>Write the work to a file, then run: mh run &lt;file&gt;</p>
          ) : (
            <>
              <pre className={styles.command}>{command.command}</pre>
              <Copyable text={command.command} shown="Copy command" />
            </>
          )}
          {command === undefined || command.withoutFlag.length === 0 ? null : (
            <p className="quiet">{command.withoutFlag.join(', ')}: no flag; only this form and the API accept it.</p>
          )}
        </div>
      </div>
    </Panel>
  );
}
