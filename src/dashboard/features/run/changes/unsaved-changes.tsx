import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import { fileKind } from '../../../../core/finish/file-kind.ts';
import type { OperationOutput } from '../../../../operations/all.ts';
import { call } from '../../../api/call.ts';
import { useRunOverview } from '../../../api/run-overview.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { useThrottled } from '../../../ui/browser/use-now.ts';
import { type DiffFile, parseDiff } from '../../../ui/diff/parse-diff.ts';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { count } from '../../../ui/text/amounts.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import styles from './run-changes.module.css';

type Work = OperationOutput<'unsaved-changes'>['tasks'][number];

/** The workspaces are read at most this often, and only after a sign of life of an agent. */
const PAUSE_MS = 4_000;

/** What running agents have changed so far; it changes as they work, and no check has run on it. */
export function UnsavedChanges({ run, isRunning }: { run: string; isRunning: boolean }): ReactElement | null {
  const live = useRunOverview(run)?.live ?? [];
  const sign = live.reduce((latest, { lastSignAt }) => Math.max(latest, lastSignAt), 0);
  const at = useThrottled(sign, PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['unsaved-changes', run, at],
    queryFn: ({ signal }) => call('unsaved-changes', { run }, signal),
    placeholderData: keepPreviousData,
    enabled: isRunning,
    gcTime: 0,
  });
  const tasks = data?.tasks.filter(({ diff, error }) => diff !== '' || error !== null) ?? [];
  if (!isRunning || tasks.length === 0) return null;
  return (
    <section className={styles.unsaved} aria-label="Unsaved changes">
      <h2>
        <StateMark displayState="running" bare /> Unsaved{' '}
        <span className="quiet">not checked yet, changes as agents work</span>
      </h2>
      {tasks.map((work) => (
        <UnsavedWork key={work.task} run={run} work={work} />
      ))}
      {data === undefined || data.omitted === 0 ? null : (
        <p className="quiet">and {count(data.omitted, 'more running task')}</p>
      )}
    </section>
  );
}

function UnsavedWork({ run, work }: { run: string; work: Work }): ReactElement {
  const files = useMemo(() => parseDiff(work.diff), [work.diff]);
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const deleted = files.reduce((sum, file) => sum + file.deleted, 0);
  return (
    <details className={styles.work}>
      <summary>
        <strong>{work.title}</strong> <span className="quiet">attempt {work.attempt}</span>{' '}
        {count(files.length, 'file')}{' '}
        <span className="numbers">
          +{added} −{deleted}
        </span>
      </summary>
      {work.error === null ? null : <p className="quiet">It cannot be read now: {work.error}</p>}
      {files.map((file) => (
        <UnsavedFile key={file.path} file={file} />
      ))}
      {work.cut ? <p className="quiet">The diff is longer; only its beginning is shown.</p> : null}
      <Link href={taskPath(run, work.task)} className="link">
        Open the task
      </Link>
    </details>
  );
}

/** Of a longer file only the beginning is shown. */
const MAX_LINES = 400;
const SIGNS = { added: '+', deleted: '-', same: ' ' } as const;

/** One changed file; lock files and generated ones are folded. */
function UnsavedFile({ file }: { file: DiffFile }): ReactElement {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  return (
    <details className={styles.file} open={!['lock', 'generated'].includes(fileKind(file.path))}>
      <summary>
        <code>{visibleText(file.path)}</code>{' '}
        <span className="numbers">
          +{file.added} −{file.deleted}
        </span>
      </summary>
      <pre className={styles.patch}>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
          <span key={index} data-kind={line.kind}>
            {SIGNS[line.kind]}
            {visibleText(line.text)}
            {'\n'}
          </span>
        ))}
        {lines.length > MAX_LINES ? `${lines.length - MAX_LINES} more lines` : ''}
      </pre>
    </details>
  );
}
