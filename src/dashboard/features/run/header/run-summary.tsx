import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { CompactRun } from '../../../../schema/compact-run.ts';
import { call } from '../../../api/call.ts';
import { runPath, taskPath } from '../../../ui/browser/page-paths.ts';
import { useThrottled } from '../../../ui/browser/use-now.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { count, Time } from '../../../ui/text/amounts.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './run-summary.module.css';

/** The minimum interval between two summary requests. */
const PAUSE_MS = 3_000;

type SummaryProps = { state: RunState; version: number; isWaiting: boolean };

/** A run in one line: phase, last action, risks and the recommended next step. */
export function Summary({ state, version, isWaiting }: SummaryProps): ReactElement {
  const { run } = state.start;
  const isEnded = state.status.kind === 'ended';
  const [isOpen, setOpen] = useState(false);
  const throttledVersion = useThrottled(version, PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['compact-run', run, throttledVersion],
    queryFn: ({ signal }) => call('compact-run', { run }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <section className={styles.summary} aria-label="Summary">
      {data === undefined ? null : (
        <>
          {isEnded || NAMED_BY_STATE.includes(data.phase) ? null : <span className={styles.phase}>{data.phase}</span>}
          {data.lastAction === null || isEnded ? null : (
            <span className={styles.last} title={data.lastAction.what}>
              <Time at={data.lastAction.at} />: {data.lastAction.what}
            </span>
          )}
          {state.counts.failed < 2 ? null : (
            <Link href={`${runPath(run)}?view=tasks&status=failed`} className={styles.failed}>
              {count(state.counts.failed, 'failed task')}
            </Link>
          )}
          {data.risks.length === 0 ? null : (
            <button
              type="button"
              className={styles.risk}
              title={data.risks.map(({ task, label, risk }) => `${label ?? task}: ${risk}`).join('\n')}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {count(data.risks.length, 'risk')}
            </button>
          )}
          {isWaiting || !(isEnded ? SEEN_FIRST : SHOWN).includes(data.recommended.action) ? null : (
            <span className={styles.next} title={data.recommended.because}>
              Next:{' '}
              {isEnded ? (
                <Link href={`${runPath(run)}?view=changes`}>inspect the changes</Link>
              ) : (
                data.recommended.because
              )}
            </span>
          )}
          <span className={styles.more}>
            <Button weight="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <Icon name="chevron" size={12} /> Agent activity
            </Button>
          </span>
          {isOpen ? <SummaryDetails data={data} /> : null}
        </>
      )}
    </section>
  );
}

const MAX = 12;
/** The phases that the state of the header names already. */
const NAMED_BY_STATE: readonly CompactRun['phase'][] = ['waiting', 'scheduled', 'paused'];
/** The next steps of an ended run before which its changes are read; the button of the header performs the others. */
const SEEN_FIRST: readonly string[] = ['inspect', 'land'];
const SHOWN: readonly string[] = ['wait', 'approve', 'answer', 'retry', 'resume', 'inspect', 'land'];

/** Tool calls, changed files, risks and warnings of a run. */
function SummaryDetails({ data }: { data: CompactRun }): ReactElement {
  const { run, toolCalls, changedFiles, risks, warnings } = data;
  const isEmpty = toolCalls.length + changedFiles.length + risks.length + warnings.length === 0;
  if (isEmpty) return <p className="quiet">No tool calls, risks or warnings.</p>;
  return (
    <div className={styles.details}>
      <SummaryPart title="Risks" total={risks.length}>
        {risks.slice(0, MAX).map(({ task, label, risk, severity, detail }) => (
          <li key={`${task} ${risk} ${detail}`}>
            <strong>{risk}</strong> <span className="quiet">{severity}</span>{' '}
            <Link href={taskPath(run, task)}>{label ?? task}</Link> <span className="quiet">{detail}</span>
          </li>
        ))}
      </SummaryPart>
      <SummaryPart title="Warnings" total={warnings.length}>
        {warnings.slice(0, MAX).map(({ task, label, message }) => (
          <li key={`${task} ${message}`}>
            <Link href={taskPath(run, task)}>{label ?? task}</Link> <span className="quiet">{message}</span>
          </li>
        ))}
      </SummaryPart>
      <SummaryPart title="Last tool calls" total={toolCalls.length}>
        {toolCalls.slice(-MAX).map(({ task, tool, detail, times }) => (
          <li key={`${task} ${tool} ${detail}`} title={detail}>
            <strong>{tool}</strong> <code>{detail}</code>{' '}
            {times > 1 ? <span className="quiet">{times} times</span> : null}
          </li>
        ))}
      </SummaryPart>
      <SummaryPart title="Changed files" total={changedFiles.length}>
        {changedFiles.slice(0, MAX).map((file) => (
          <li key={file}>
            <code>{file}</code>
          </li>
        ))}
      </SummaryPart>
    </div>
  );
}

function SummaryPart({
  title,
  total,
  children,
}: {
  title: string;
  total: number;
  children: ReactNode;
}): ReactElement | null {
  if (total === 0) return null;
  return (
    <section aria-label={title} className={styles.part}>
      <h3>
        {title} <span className="quiet">{total > MAX ? `${MAX} of ${total}` : total}</span>
      </h3>
      <ul>{children}</ul>
    </section>
  );
}
