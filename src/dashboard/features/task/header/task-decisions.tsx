import type { ReactElement } from 'react';
import type { QuestionState } from '../../../../core/run/state.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { LinkButton } from '../../../ui/controls/button.tsx';
import { AttentionButtons } from '../../../ui/run/attention-actions.tsx';
import { HoldAnswer } from '../../../ui/run/hold-answer.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
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
            <code key={file}>{visibleText(file)}</code>
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

/** Whether the reason of a task is a question that is shown below it, with its form. */
export function isAskedAgain({ task }: TaskView): boolean {
  const { phase } = task;
  return phase.status === 'blocked' && openQuestions(task).some((question) => phase.reason === askText(question));
}

function openQuestions({ phase, questions = [] }: TaskView['task']): QuestionState[] {
  if (phase.status !== 'running' && phase.status !== 'blocked') return [];
  return questions.filter(({ answer }) => answer === null);
}

function askText({ text }: QuestionState): string {
  return `Its agent asks: ${text}`;
}

/** The questions of its agents that wait for an answer, each with its form. */
export function TaskQuestions({ view }: { view: TaskView }): ReactElement | null {
  const open = openQuestions(view.task);
  if (open.length === 0) return null;
  return (
    <section className={styles.decision} aria-label="Questions">
      {open.map((question) => (
        <OpenQuestion key={question.id} view={view} question={question} />
      ))}
    </section>
  );
}

function OpenQuestion({ view, question }: { view: TaskView; question: QuestionState }): ReactElement {
  const { id, options = [] } = question;
  const item = { run: view.run, task: view.task.spec.key, what: 'question' as const, question: id };
  return (
    <div className={styles.decision}>
      <p className={styles.reason} data-urgent="true">
        {visibleText(askText(question))}
      </p>
      {IS_GUEST ? null : (
        <AttentionButtons item={{ ...item, options: options.map((label) => ({ id: label, label })) }} />
      )}
    </div>
  );
}
