import type { ReactElement } from 'react';
import { isOpen, type TaskState } from '../../../../core/run/state.ts';
import type { CheckOutput } from '../../../../core/view/failed-check.ts';
import { isSatisfied } from '../../../../gates/gate-kinds.ts';
import { IS_GUEST } from '../../../api/role.ts';
import { EmptyState } from '../../../ui/feedback/placeholders.tsx';
import { ScrollArea } from '../../../ui/layout/scroll-area.tsx';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { duration } from '../../../ui/text/amounts.tsx';
import { Copyable } from '../../../ui/text/copyable.tsx';
import { NamedError } from '../../../ui/text/named-error.tsx';
import { short } from '../task-facts.ts';
import { failedOutput, type Gate, gatesByAttempt, resultOf, type Step, stepsOf } from './gate-results.ts';
import styles from './gates.module.css';
import { SaveOutput } from './save-output.tsx';

/** The result of each gate of a task by attempt, and the gates that have not run. */
export function GatesView({ run, task }: { run: string; task: TaskState }): ReactElement {
  const attempts = gatesByAttempt(task);
  if (attempts.length === 0)
    return (
      <EmptyState title="This task has no gates">
        Its work is not checked before landing, or it lands nothing.
      </EmptyState>
    );
  return (
    <>
      {attempts.map(({ attempt, isLast, gates }) => (
        <section key={attempt} aria-label={`Gates of attempt ${attempt}`}>
          {task.attempts.length > 1 ? <h2 className={styles.attempt}>Attempt {attempt}</h2> : null}
          <ul className={styles.gates}>
            {gates.map((gate) => (
              <GateCard
                key={gate.key}
                gate={gate}
                saved={{ run, task: task.spec.key }}
                isOver={!isLast || !isOpen(task)}
                isPassed={gate.isOfAttempt && task.attempts.at(-1)?.ended?.failure === null}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** `isPassed`: the attempt passed it, without evidence of its own. */
type GateCardProps = { gate: Gate; saved: { run: string; task: string }; isOver: boolean; isPassed: boolean };

/** One gate: verdict, command, tree, duration and output. */
function GateCard({ gate: { name, command, evidence }, saved, isOver, isPassed }: GateCardProps): ReactElement {
  const steps = stepsOf(evidence?.output ?? '');
  const shell = command ?? evidence?.command;
  const { displayState, text } = resultOf(evidence, { isOver, isPassed });
  return (
    <li className={styles.gate}>
      <div className={styles.head}>
        <StateMark displayState={displayState} bare />
        <h3 className={styles.name}>{name}</h3>
        <span className={styles.verdict}>{text}</span>
        {evidence === null ? null : (
          <span className={styles.figures}>
            <span className="numbers">{took(evidence.durationMs)}</span>
            {evidence.exitCode === null ? null : <span>exit {evidence.exitCode}</span>}
            <span title="Checked tree">
              <Copyable text={evidence.tree} shown={short(evidence.tree)} />
            </span>
          </span>
        )}
      </div>
      {evidence === null ? null : <p className={styles.summary}>{evidence.summary}</p>}
      {evidence === null || isSatisfied(evidence.verdict) ? null : <NamedError evidence={evidence} />}
      {(evidence?.flags ?? []).map(({ risk, detail, blocking }) => (
        <p key={`${risk} ${detail}`} className={styles.stale}>
          {risk}: {detail}
          {blocking ? <strong> blocks landing</strong> : null}
        </p>
      ))}
      {evidence?.stale === true ? (
        <p className={styles.stale}>Stale: the work was invalidated after this check.</p>
      ) : null}
      {evidence?.reused === true ? <p className="quiet">Reused: the same tree was checked before.</p> : null}
      {shell === undefined ? null : <Copyable text={shell} />}
      {steps.length === 0 ? null : <Steps steps={steps} />}
      <FailedOutput name={name} output={failedOutput(evidence, took)} />
      {IS_GUEST || evidence?.outputFile === undefined ? null : <SaveOutput {...saved} evidence={evidence} />}
      {evidence?.output === undefined || evidence.output === '' ? null : (
        <details>
          <summary>Recorded output</summary>
          <ScrollArea label={`Output of ${name}`} className={styles.output}>
            {evidence.output}
          </ScrollArea>
        </details>
      )}
    </li>
  );
}

/** The facts of a check that did not pass, and the last lines of its output. */
function FailedOutput({ name, output }: { name: string; output: CheckOutput | null }): ReactElement | null {
  if (output === null) return null;
  const { facts, lines } = output;
  return (
    <>
      <ul className={styles.facts}>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {lines.length === 0 ? null : (
        <ScrollArea label={`Last output lines of ${name}`} className={styles.output}>
          {lines.join('\n')}
        </ScrollArea>
      )}
    </>
  );
}

function took(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : duration(ms);
}

function Steps({ steps }: { steps: readonly Step[] }): ReactElement {
  return (
    <ol className={styles.steps}>
      {steps.map(({ number, result, text }) => (
        <li key={number} data-result={result}>
          <span className={styles.result}>{result}</span>
          <span>
            {number}. {text}
          </span>
        </li>
      ))}
    </ol>
  );
}
