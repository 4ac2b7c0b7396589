import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import type { CompactRun } from '../../../../schema/compact-run.ts';
import { taskPath } from '../../../ui/paths.ts';
import styles from './summary-details.module.css';

const MOST = 12;

/** What agents called and changed, and what is risky about it. */
export function SummaryDetails({ data }: { data: CompactRun }): ReactElement {
  const { run, toolCalls, changedFiles, risks, warnings } = data;
  const isEmpty = toolCalls.length + changedFiles.length + risks.length + warnings.length === 0;
  if (isEmpty) return <p className="quiet">No tools were called and nothing risky was seen.</p>;
  return (
    <div className={styles.details}>
      <Part title="Risks" total={risks.length}>
        {risks.slice(0, MOST).map(({ task, risk, severity, detail }) => (
          <li key={`${task} ${risk} ${detail}`}>
            <strong>{risk}</strong> <span className="quiet">{severity}</span>{' '}
            <Link href={taskPath(run, task)}>{task}</Link> <span className="quiet">{detail}</span>
          </li>
        ))}
      </Part>
      <Part title="Warnings" total={warnings.length}>
        {warnings.slice(0, MOST).map(({ task, message }) => (
          <li key={`${task} ${message}`}>
            <Link href={taskPath(run, task)}>{task}</Link> <span className="quiet">{message}</span>
          </li>
        ))}
      </Part>
      <Part title="Last tool calls" total={toolCalls.length}>
        {toolCalls.slice(-MOST).map(({ task, tool, detail, times }) => (
          <li key={`${task} ${tool} ${detail}`} title={detail}>
            <strong>{tool}</strong> <code>{detail}</code>{' '}
            {times > 1 ? <span className="quiet">{times} times</span> : null}
          </li>
        ))}
      </Part>
      <Part title="Changed files" total={changedFiles.length}>
        {changedFiles.slice(0, MOST).map((file) => (
          <li key={file}>
            <code>{file}</code>
          </li>
        ))}
      </Part>
    </div>
  );
}

function Part({ title, total, children }: { title: string; total: number; children: ReactNode }): ReactElement | null {
  if (total === 0) return null;
  return (
    <section aria-label={title} className={styles.part}>
      <h3>
        {title} <span className="quiet">{total > MOST ? `${MOST} of ${total}` : total}</span>
      </h3>
      <ul>{children}</ul>
    </section>
  );
}
