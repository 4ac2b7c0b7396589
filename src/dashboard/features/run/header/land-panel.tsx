import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { Acceptance, Judgement } from '../../../../schema/acceptance.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-operation.ts';
import { runPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './land-panel.module.css';

type Examined = { acceptance: Acceptance; judgement: Judgement };

/** Lands a clean result at once; otherwise opens a panel with what a person must know before landing. */
export function LandOnBase({ state, base, isMain }: { state: RunState; base: string; isMain: boolean }): ReactElement {
  const { run } = state.start;
  const [examined, setExamined] = useState<Examined>();
  const [isExamining, setExamining] = useState(false);
  const land = useAction('land-run', { done: `Landed on ${base}`, onDone: () => setExamined(undefined) });
  const act = () => land.act({ run, how: 'merge' });
  const examine = async () => {
    setExamining(true);
    try {
      const [acceptance, judgement] = await Promise.all([call('verify-run', { run }), call('judge-run', { run })]);
      if (isClean({ acceptance, judgement })) act();
      else setExamined({ acceptance, judgement });
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    } finally {
      setExamining(false);
    }
  };
  return (
    <>
      <Button
        weight={isMain ? 'main' : 'plain'}
        busy={land.isBusy || isExamining}
        aria-expanded={examined !== undefined}
        onClick={() => void examine()}
      >
        <Icon name="branch" size={14} /> Land on {base}
      </Button>
      {examined === undefined ? null : (
        <LandPanel
          state={state}
          base={base}
          examined={examined}
          isBusy={land.isBusy}
          onLand={act}
          close={() => setExamined(undefined)}
        />
      )}
    </>
  );
}

/** Whether nothing about a result needs a person before it lands. */
function isClean({ acceptance, judgement }: Examined): boolean {
  return (
    acceptance.acceptance === 'verified' &&
    acceptance.criteria.every(({ verdict }) => verdict === 'pass') &&
    judgement.decision === 'approve'
  );
}

type LandPanelProps = {
  state: RunState;
  base: string;
  examined: Examined;
  isBusy: boolean;
  onLand(): void;
  close(): void;
};

function LandPanel({ state, base, examined, isBusy, onLand, close }: LandPanelProps): ReactElement {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const { acceptance, judgement } = examined;
  const open = acceptance.findings.filter(({ approved }) => !approved);
  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={`Land on ${base}?`}
      tabIndex={-1}
      onKeyDown={({ key }) => (key === 'Escape' ? close() : undefined)}
    >
      <h2>Land on {base}?</h2>
      <ul className={styles.list}>
        {acceptance.criteria
          .filter(({ verdict }) => verdict !== 'pass')
          .map(({ criterion, verdict, reason }) => (
            <li key={criterion}>
              <StateMark displayState={verdict === 'fail' ? 'failed' : 'waiting'} bare /> <strong>{criterion}</strong>{' '}
              {reason}
            </li>
          ))}
        {judgement.decision === 'approve' ? null : (
          <li>
            <StateMark displayState={judgement.decision === 'block' ? 'failed' : 'waiting'} bare />{' '}
            <strong>judgement: {judgement.decision}</strong> {judgement.reasons.join('; ')}
          </li>
        )}
      </ul>
      <Listed title="Checks">
        {acceptance.evidence.map(({ gate, standing, verdict, summary }) => (
          <li key={gate}>
            <strong>{gate}</strong> {verdict ?? standing}
            {standing === 'stale' ? ' (on an earlier version)' : ''} <span className="quiet">{summary}</span>
          </li>
        ))}
      </Listed>
      <Listed title="Findings">
        {open.map(({ finding, severity, detail, files }) => (
          <li key={`${finding} ${detail} ${files.join(' ')}`}>
            <strong>{finding}</strong> <span className="quiet">{severity}</span> {detail}
          </li>
        ))}
      </Listed>
      <p>
        <code>{base}</code> moves to <code>{state.tip.commit.slice(0, 8)}</code>.{' '}
        <Link href={`${runPath(state.start.run)}?view=changes`}>Review the changes</Link>
      </p>
      <div className={styles.buttons}>
        <Button weight="danger" busy={isBusy} onClick={onLand}>
          Land anyway
        </Button>
        <Button weight="quiet" onClick={close}>
          Do not land
        </Button>
      </div>
    </section>
  );
}

function Listed({ title, children }: { title: string; children: ReactElement[] }): ReactElement | null {
  if (children.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={styles.list}>{children}</ul>
    </div>
  );
}
