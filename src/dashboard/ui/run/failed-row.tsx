import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { folderName, runPath, taskPath } from '../browser/page-paths.ts';
import { Button, LinkButton } from '../controls/button.tsx';
import { notify } from '../feedback/notices.ts';
import { StateMark } from '../state/state-mark.tsx';
import { Time } from '../text/amounts.tsx';
import styles from './needs-you-row.module.css';
import type { RowProps } from './waiting-row.tsx';

/** A run that failed or landed in part: what failed first, with the end of its output. */
export function FailedRow({ run, rowProps }: { run: RunOverview; rowProps?: RowProps }): ReactElement {
  const { failure } = run;
  const retry = useAction('retry-run', { done: 'Retry started' });
  const show = useAction('hide-run');
  const hide = useAction('hide-run', {
    onDone: () =>
      notify({ kind: 'done', text: `Hidden: ${run.title}`, undo: () => show.act({ run: run.run, hidden: false }) }),
  });
  return (
    <li className={styles.item} {...rowProps}>
      <div className={styles.text}>
        <p className={styles.first}>
          <StateMark displayState={run.status === 'partial' ? 'partial' : 'failed'} bare />
          <strong>{run.status === 'partial' ? 'Partly done' : 'Failed'}</strong>
          <Link href={runPath(run.run)}>{run.title}</Link>
          {failure?.task == null || failure.title === run.title ? null : (
            <Link href={taskPath(run.run, failure.task)} className="quiet">
              {failure.title ?? failure.label ?? failure.task}
            </Link>
          )}
          <span className="quiet" title={run.project}>
            {folderName(run.project)}
          </span>
          <span className="quiet">
            <Time at={run.endedAt ?? run.updatedAt} />
          </span>
        </p>
        <p className={styles.reason}>{failure?.reason ?? run.reason}</p>
        {failure === null || failure.lines.length === 0 ? null : (
          <pre className={styles.output}>{failureLines(failure).join('\n')}</pre>
        )}
      </div>
      <div className={styles.buttons}>
        <Button weight="main" busy={retry.isBusy} onClick={() => retry.act({ run: run.run })}>
          Retry
        </Button>
        {run.status === 'partial' ? (
          <LinkButton to={`${runPath(run.run)}?view=changes`}>Take what is good</LinkButton>
        ) : null}
        <Button weight="quiet" busy={hide.isBusy} onClick={() => hide.act({ run: run.run, hidden: true })}>
          Hide
        </Button>
      </div>
    </li>
  );
}

/** What a list shows of a failure: the line that names the error, then the last lines, without marks and blanks before them. */
function failureLines({ error, lines }: NonNullable<RunOverview['failure']>): string[] {
  const last = lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => /\w/.test(line)),
    ),
  );
  return error === null || last.includes(error) ? last : [error, '…', ...last];
}
