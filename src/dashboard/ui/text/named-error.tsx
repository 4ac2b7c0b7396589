import type { ReactElement } from 'react';
import { errorLine } from '../../../core/view/error-line.ts';
import type { Evidence } from '../../../schema/gate.ts';
import styles from './named-error.module.css';

/** The line of a failed check that names the error. */
export function NamedError({ evidence }: { evidence: Evidence }): ReactElement | null {
  const line = errorLine(evidence);
  return line === undefined ? null : <ErrorLine line={line} />;
}

/** An error by the line that names it. */
export function ErrorLine({ line }: { line: string }): ReactElement {
  return <code className={styles.error}>{line}</code>;
}
