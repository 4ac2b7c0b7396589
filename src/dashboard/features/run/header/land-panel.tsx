import { type ReactElement, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { Acceptance, Judgement } from '../../../../schema/acceptance.ts';
import { runPath } from '../../../ui/browser/page-paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { useReturnFocus } from '../../../ui/controls/use-return-focus.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import styles from './land-panel.module.css';

/** How a result lands: on its base, or as a pull request. */
export type LandMethod = { how: 'merge'; base: string } | { how: 'pr' };
/** What is known about a result before it lands. */
export type Examined = { acceptance: Acceptance; judgement: Judgement };
/** The findings on the merge with a base that has moved; whoever accepts them names its tree. */
export type MergeFindings = { tree: string; reason: string };

type LandPanelProps = {
  state: RunState;
  method: LandMethod;
  examined: Examined | undefined;
  findings: MergeFindings | undefined;
  isBusy: boolean;
  onLand(accept?: string): void;
  close(): void;
};

/** What a person must know before a result lands, and the decision. */
export function LandPanel(props: LandPanelProps): ReactElement {
  const { state, method, examined, findings, isBusy, onLand, close } = props;
  const panel = useRef<HTMLElement>(null);
  useReturnFocus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: new findings are read before a held key accepts them
  useEffect(() => panel.current?.focus(), [findings]);
  const title = method.how === 'pr' ? 'Open a pull request?' : `Land on ${method.base}?`;
  const anyway = method.how === 'pr' ? 'Open anyway' : 'Land anyway';
  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={title}
      tabIndex={-1}
      onKeyDown={({ key }) => (key === 'Escape' ? close() : undefined)}
    >
      <h2>{title}</h2>
      {examined === undefined ? null : <Reasons examined={examined} />}
      {findings === undefined ? null : (
        <p role="alert">
          <StateMark displayState="waiting" bare /> {findings.reason}
        </p>
      )}
      <p>
        <Effect method={method} state={state} />{' '}
        <Link href={`${runPath(state.start.run)}?view=changes`} className="link">
          Review the changes
        </Link>
      </p>
      <div className={styles.buttons}>
        <Button weight="danger" busy={isBusy} onClick={() => onLand(findings?.tree)}>
          {findings === undefined ? anyway : 'Land with these findings'}
        </Button>
        <Button weight="quiet" onClick={close}>
          {method.how === 'pr' ? 'Do not open' : 'Do not land'}
        </Button>
      </div>
    </section>
  );
}

function Effect({ method, state }: { method: LandMethod; state: RunState }): ReactElement {
  const tip = <code>{state.tip.commit.slice(0, 8)}</code>;
  if (method.how === 'pr')
    return (
      <>
        The branch <code>mh/{state.start.run}</code> at {tip} is published.
      </>
    );
  return (
    <>
      <code>{method.base}</code> moves to {tip}; if it has moved since the run started, to the merge of both.
    </>
  );
}

/** Why the result is not clean, with its checks and findings. */
function Reasons({ examined: { acceptance, judgement } }: { examined: Examined }): ReactElement {
  const open = acceptance.findings.filter(({ approved }) => !approved);
  const criteria = acceptance.criteria.filter(({ verdict }) => verdict !== 'pass');
  const further = judgement.reasons.filter((reason) => criteria.every((each) => each.reason !== reason));
  return (
    <>
      <ul className={styles.list}>
        {criteria.map(({ criterion, verdict, reason }) => (
          <li key={criterion}>
            <StateMark displayState={verdict === 'fail' ? 'failed' : 'waiting'} bare /> <strong>{criterion}</strong>{' '}
            {reason}
          </li>
        ))}
        {judgement.decision === 'approve' ? null : (
          <li>
            <StateMark displayState={judgement.decision === 'block' ? 'failed' : 'waiting'} bare />{' '}
            <strong>judgement: {judgement.decision}</strong>{' '}
            {further.length === 0 ? 'for these reasons' : further.join('; ')}
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
    </>
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
