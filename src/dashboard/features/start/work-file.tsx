import { type ReactElement, useId } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { count } from '../../ui/text/amounts.tsx';
import styles from './start.module.css';
import type { WorkFile as Read } from './start-request.ts';
import type { WorkFileReading } from './use-start-form.ts';

type WorkFileProps = {
  dir: string;
  isKnown: boolean;
  file: string;
  reading: WorkFileReading;
  onChange(file: string): void;
};

const LIKELY_FILES = [
  '**/*feature*.json',
  '**/*task*.{yaml,yml,json,jsonl,csv}',
  '**/*todo*.md',
  '**/*.{dag,workflow}.*',
  '**/*workflow*.*',
];
const MAX_SUGGESTED = 50;
const MAX_LINES = 100;

/** The work file and its content: what would be done, or where it has errors. */
export function WorkFile({ dir, isKnown, file, reading, onChange }: WorkFileProps): ReactElement {
  const id = useId();
  const { read, isLoading, error, reload } = reading;
  const suggested = useOperation('scan-files', { dir, globs: LIKELY_FILES }, { enabled: isKnown, fresh: true });
  return (
    <div className={styles.folder}>
      <label htmlFor={id} className={styles.name}>
        Work file
      </label>
      <div className={styles.line}>
        <input
          id={id}
          type="text"
          className={styles.input}
          list={`${id}-offered`}
          value={file}
          spellCheck={false}
          placeholder="tasks.yaml"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') reload();
          }}
        />
        <datalist id={`${id}-offered`}>
          {(suggested.data?.files ?? []).slice(0, MAX_SUGGESTED).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button onClick={reload} disabled={file.trim() === '' || dir === ''}>
          Read file
        </Button>
      </div>
      <p className="quiet">A file in the project. It is read before the run starts.</p>
      {isLoading ? <Skeleton lines={3} /> : null}
      {error === undefined ? null : <ErrorMessage error={error} retry={reload} />}
      {read === undefined ? null : <WorkFileContent read={read} />}
    </div>
  );
}

function WorkFileContent({ read }: { read: Read }): ReactElement {
  if (!read.ok)
    return (
      <div role="alert">
        <p className={styles.issue}>{count(read.mistakes.length, 'error')}. The run cannot be started.</p>
        <ul className={styles.issues}>
          {read.mistakes.slice(0, MAX_LINES).map(({ line, column, where, reason }) => (
            <li key={`${line}:${column}:${where}:${reason}`}>
              <code className="numbers">{`${read.file}:${line}:${column}`}</code>
              <span>
                {where === '' ? '' : `${where}: `}
                {reason}
              </span>
            </li>
          ))}
        </ul>
      </div>
    );
  const lines = [...read.notes, ...read.summary];
  return (
    <ul className={styles.summaryLines} aria-label="Content of the file">
      {lines.slice(0, MAX_LINES).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {lines.length > MAX_LINES ? <li className="quiet">and {lines.length - MAX_LINES} more</li> : null}
    </ul>
  );
}
