import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { nextStartAt } from '../../../../core/schedule/start-time.ts';
import { firstFailure } from '../../../../core/view/first-failure.ts';
import { runStatus } from '../../../../core/view/run-status.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { useRunOverview } from '../../../api/run-overview.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { CurrentSteps } from '../../../ui/run/live-agent.tsx';
import { runDisplayState } from '../../../ui/state/display-state.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { ErrorLine } from '../../../ui/text/named-error.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import { ListActions } from './list-actions.tsx';
import { OtherActions, PrimaryAction } from './run-actions.tsx';
import { RunDetails, RunProgress } from './run-facts.tsx';
import styles from './run-header.module.css';

/** The title, state, facts and actions of a run. */
export function RunHeader({ state, summary }: { state: RunState; summary: ReactNode }): ReactElement {
  const overview = useRunOverview(state.start.run);
  const next = nextStartAt(state);
  const displayState = runDisplayState({
    status: runStatus(state),
    unread: false,
    nextAt: next === undefined ? null : new Date(next).toISOString(),
    liveCount: state.counts.running,
    carried: overview?.carried ?? true,
    waitsFor: overview?.waitsFor ?? null,
  });
  // A guest has no overview.
  const error = (overview === undefined ? firstFailure(state) : overview.failure)?.error;
  const reason = state.status.kind === 'ended' || state.status.kind === 'cancelling' ? state.status.reason : null;
  return (
    <header className={styles.header}>
      <div className={styles.first}>
        {state.status.kind === 'cancelling' ? (
          <StateMark displayState={displayState} label="Cancelling" />
        ) : (
          <StateMark displayState={displayState} />
        )}
        <RunTitle run={state.start.run} title={state.start.title} />
        <RunProgress state={state} />
        {IS_GUEST ? null : <PrimaryAction state={state} overview={overview} />}
      </div>
      <div className={styles.second}>
        <div className={styles.text}>
          {reason === null ? null : (
            <p className={styles.reason} title={reason}>
              {reason}
            </p>
          )}
          {error == null ? null : <ErrorLine line={error} />}
          {state.status.kind === 'ended' ? null : <CurrentSteps current={overview} />}
          {summary}
        </div>
        {IS_GUEST ? null : <OtherActions state={state} />}
        <RunDetails state={state}>{IS_GUEST ? null : <ListActions state={state} overview={overview} />}</RunDetails>
      </div>
    </header>
  );
}

/** The title of a run, with a button to rename it. */
function RunTitle({ run, title }: { run: string; title: string }): ReactElement {
  /** Null after it was closed. */
  const [draft, setDraft] = useState<string | null>();
  const rename = useAction('rename-run', { onDone: () => setDraft(null) });
  if (draft == null) {
    return (
      <div className={styles.title}>
        <h1>{visibleText(title)}</h1>
        {IS_GUEST ? null : (
          <Button
            weight="quiet"
            aria-label="Rename"
            title="Rename"
            autoFocus={draft === null}
            onClick={() => setDraft(title)}
          >
            <Icon name="pencil" size={14} />
          </Button>
        )}
      </div>
    );
  }
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() === title || draft.trim() === '') setDraft(null);
    else rename.act({ run, title: draft });
  };
  return (
    <form className={styles.form} onSubmit={save}>
      <input
        aria-label="Title"
        className={styles.input}
        value={draft}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was just pressed
        autoFocus
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => (key === 'Escape' ? setDraft(null) : undefined)}
      />
      <Button type="submit" weight="main" busy={rename.isBusy}>
        Rename
      </Button>
      <Button weight="quiet" onClick={() => setDraft(null)}>
        Cancel
      </Button>
    </form>
  );
}
