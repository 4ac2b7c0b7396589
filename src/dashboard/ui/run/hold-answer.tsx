import { type FormEvent, type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { IS_GUEST } from '../../api/role.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../controls/button.tsx';
import controls from '../controls/controls.module.css';
import { visibleText } from '../text/visible-text.ts';
import styles from './hold-answer.module.css';

/** A hold that waits for an answer. */
type AnsweredHold = {
  run: string;
  task: string | null;
  hold?: string | undefined;
  options?: readonly { id: string; label: string; needsNote?: boolean | undefined }[] | undefined;
  /** What the button approves, such as `plan`. */
  subject: 'plan' | 'change' | 'step';
};

const APPROVE: Record<AnsweredHold['subject'], string> = {
  plan: 'Approve plan',
  change: 'Approve change',
  step: 'Approve',
};

const REJECTED: Record<AnsweredHold['subject'], string> = {
  plan: 'The plan is withdrawn, and the planner plans again with your reason.',
  change: 'The work goes back to its agent with your reason, in the same session where possible.',
  step: 'The run ends. All work is kept.',
};

type HoldAnswerProps = { hold: AnsweredHold; disabled?: boolean; onAnswer?(): void };

/** The answers to one hold: approve, one of its options, or reject with a reason that the agent receives. */
export function HoldAnswer({ hold, disabled = false, onAnswer }: HoldAnswerProps): ReactElement | null {
  const [isRejecting, setRejecting] = useState<boolean>();
  const [option, setOption] = useState('');
  const [note, setNote] = useState('');
  const approve = useAction('approve-run', { done: 'Approved', onDone: () => onAnswer?.() });
  const options = hold.options ?? [];
  const chosen = options.find(({ id }) => id === option);
  const needsNote = chosen?.needsNote === true;
  const isComplete = chosen !== undefined && (!needsNote || note.trim() !== '');
  if (IS_GUEST) return null;
  if (isRejecting === true) return <Rejection hold={hold} onAnswer={onAnswer} close={() => setRejecting(false)} />;
  return (
    <div className={styles.answers}>
      {options.length === 0 ? null : (
        <Options {...{ options, note, needsNote }} chosen={option} onChoose={setOption} onNote={setNote} />
      )}
      <Button
        weight="main"
        busy={approve.isBusy}
        disabled={disabled || (options.length > 0 && !isComplete)}
        onClick={() =>
          approve.act({
            ...targetOf(hold),
            ...(option === '' ? {} : { option }),
            ...(note.trim() === '' ? {} : { note }),
          })
        }
      >
        {options.length === 0 ? APPROVE[hold.subject] : 'Continue with this'}
      </Button>
      <Button disabled={disabled} autoFocus={isRejecting === false} onClick={() => setRejecting(true)}>
        Reject…
      </Button>
    </div>
  );
}

type OptionsProps = {
  options: NonNullable<AnsweredHold['options']>;
  chosen: string;
  note: string;
  needsNote: boolean;
  onChoose(option: string): void;
  onNote(note: string): void;
};

/** All options of a hold, of which one is chosen, and a note for those that need one. */
function Options({ options, chosen, note, needsNote, onChoose, onNote }: OptionsProps): ReactElement {
  const group = useId();
  return (
    <fieldset className={styles.options} aria-label="Options">
      {options.map(({ id, label }) => (
        <label key={id} className={styles.option}>
          <input type="radio" name={group} checked={chosen === id} onChange={() => onChoose(id)} />
          {visibleText(label)}
        </label>
      ))}
      <input
        className={controls.input}
        aria-label="Note"
        placeholder={needsNote ? 'Note (needed)' : 'Note (optional)'}
        required={needsNote}
        maxLength={10_000}
        value={note}
        onChange={({ target }) => onNote(target.value)}
      />
    </fieldset>
  );
}

type RejectionProps = { hold: AnsweredHold; onAnswer: (() => void) | undefined; close(): void };

function Rejection({ hold, onAnswer, close }: RejectionProps): ReactElement {
  const [reason, setReason] = useState('');
  const reject = useAction('reject-run', { done: 'Rejected', onDone: () => onAnswer?.() });
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (reason.trim() !== '' && !reject.isBusy) reject.act({ ...targetOf(hold), reason });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <form className={styles.rejection} onSubmit={submit}>
      <textarea
        aria-label="Reason of the rejection"
        placeholder="What is wrong, and what to do instead"
        rows={3}
        maxLength={10_000}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was just pressed
        autoFocus
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        onKeyDown={onKeyDown}
      />
      <p className="quiet">{REJECTED[hold.subject]}</p>
      <div className={styles.answers}>
        <Button type="submit" weight="danger" busy={reject.isBusy} disabled={reason.trim() === ''} title="Ctrl-Enter">
          Reject
        </Button>
        <Button weight="quiet" onClick={close}>
          Back
        </Button>
      </div>
    </form>
  );
}

/** By its id, so that an answer never reaches a hold that the user has not seen. */
function targetOf({ run, task, hold }: AnsweredHold): { run: string; task?: string; hold?: string } {
  if (hold !== undefined) return { run, hold };
  return task === null ? { run } : { run, task };
}
