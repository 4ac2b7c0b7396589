import { type FormEvent, type ReactElement, useState } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/text/amounts.tsx';

type Discussion = OperationOutput<'show-watch'>['discussions'][number];
type DiscussionsViewProps = { dir: string; discussions: readonly Discussion[] };

/** The conversations with a watcher, the newest first, and a new one. */
export function DiscussionsView({ dir, discussions }: DiscussionsViewProps): ReactElement {
  return (
    <div className={styles.list}>
      <Panel title="New discussion">
        <ReplyForm dir={dir} label="Message to the watcher" />
      </Panel>
      {discussions.toReversed().map(({ id, messages }) => (
        <Panel key={id} title={`Discussion ${id}`}>
          <div className={styles.list}>
            {messages.map(({ by, text, at }) => (
              <article key={`${by} ${at} ${text}`} className={styles.card}>
                <span className="quiet">
                  {by === 'person' ? 'You' : 'Watcher'} · <Time at={at} />
                </span>
                <p>{text}</p>
              </article>
            ))}
            <ReplyForm dir={dir} discussion={id} label={`Reply in ${id}`} />
          </div>
        </Panel>
      ))}
    </div>
  );
}

type ReplyFormProps = { dir: string; discussion?: string; label: string };

function ReplyForm({ dir, discussion, label }: ReplyFormProps): ReactElement {
  const [text, setText] = useState('');
  const sending = useAction('reply-watch', {
    done: 'Sent; an agent answers in the next round',
    onDone: () => setText(''),
    changes: ['show-watch'],
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    sending.act({ dir, text, ...(discussion === undefined ? {} : { discussion }) });
  };
  return (
    <form className={styles.form} onSubmit={send} aria-label={label}>
      <label>
        {label}
        <textarea value={text} rows={3} maxLength={20_000} required onChange={(event) => setText(event.target.value)} />
      </label>
      <span>
        <Button type="submit" weight="main" busy={sending.isBusy} disabled={text.trim() === ''}>
          Send
        </Button>
      </span>
    </form>
  );
}
