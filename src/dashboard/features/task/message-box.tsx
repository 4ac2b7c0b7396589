import { type KeyboardEvent, type ReactElement, type Ref, useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { useKeptDraft } from '../../ui/browser/kept-draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import styles from './message-box.module.css';
import { messageEffect, pendingMessages, type TaskView } from './task-facts.ts';

type MessageBoxProps = { view: TaskView; reload(): void; field: Ref<HTMLTextAreaElement> };

/** A message to the agent, with a note on what sending it does. */
export function MessageBox({ view, reload, field }: MessageBoxProps): ReactElement {
  const [message = '', setMessage] = useKeptDraft<string>(`message ${view.run} ${view.task.spec.key}`);
  const send = useAction('send-message', {
    done: 'Sent to the agent',
    onDone: () => {
      setMessage(undefined);
      reload();
    },
  });
  const effect = messageEffect(view);
  if ('unavailable' in effect) return <p className={styles.effect}>{effect.unavailable}</p>;
  const isEmpty = message.trim() === '';
  const submit = () => {
    if (!isEmpty && !send.isBusy) send.act({ run: view.run, task: view.task.spec.key, message });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form
      className={styles.box}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        className={styles.field}
        rows={isEmpty ? 1 : Math.min(8, message.split('\n').length + 1)}
        placeholder="Message to the agent"
        aria-label="Message to the agent"
        aria-describedby="continue-effect"
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p id="continue-effect" className={styles.effect}>
        {effect.effect} <PendingMessages task={view.task} />
      </p>
      {isEmpty ? null : <Preview run={view.run} task={view.task.spec.key} message={message} />}
      <Button type="submit" weight="main" busy={send.isBusy} disabled={isEmpty} title="Ctrl-Enter">
        {effect.button}
      </Button>
    </form>
  );
}

/** Sent messages that no attempt has received yet. */
function PendingMessages({ task }: { task: TaskView['task'] }): ReactElement | null {
  const messages = pendingMessages(task);
  if (messages.length === 0) return null;
  return <span className={styles.unheard}>Not delivered yet: {messages.join(' · ')}</span>;
}

/** What the agent will read, on demand. */
function Preview(sent: { run: string; task: string; message: string }): ReactElement {
  const [shown, setShown] = useState<{ of: string; text: string }>();
  const show = useAction('preview-message', { onDone: ({ text }) => setShown({ of: sent.message, text }) });
  return (
    <>
      <Button weight="quiet" busy={show.isBusy} onClick={() => show.act(sent)}>
        What the agent will see
      </Button>
      {shown?.of === sent.message ? <pre className={styles.preview}>{shown.text}</pre> : null}
    </>
  );
}
