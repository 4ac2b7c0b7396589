import type { ReactElement } from 'react';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { LinkButton } from '../../../ui/controls/button.tsx';
import { HoldAnswer } from '../../../ui/run/hold-answer.tsx';
import type { TaskView } from '../task-facts.ts';
import styles from './task-header.module.css';

type HeldWorkProps = { view: TaskView; isDiffShown: boolean; reload(): void };

/** Held work: first a link to its diff; where the diff is shown, the answers. */
export function HeldWork({ view, isDiffShown, reload }: HeldWorkProps): ReactElement | null {
  const { spec, phase } = view.task;
  if (phase.status !== 'held') return null;
  const { id, options, files } = phase.hold;
  const hold = { run: view.run, task: spec.key, hold: id, options, subject: 'change' as const };
  return (
    <section className={styles.decision} aria-label="Held work">
      {files.length === 0 ? null : (
        <p className={styles.held}>
          Held because of{' '}
          {files.map((file) => (
            <code key={file}>{file}</code>
          ))}
        </p>
      )}
      {isDiffShown ? (
        <HoldAnswer hold={hold} onAnswer={reload} />
      ) : (
        <LinkButton to={`${taskPath(view.run, spec.key)}?view=diff`} weight="main">
          Review the change
        </LinkButton>
      )}
    </section>
  );
}
